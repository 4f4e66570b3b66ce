#include "bindings/write_trace.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/hash.h"
#include "bindings/errors.h"
#include "events/trace_writer.h"
#include "model/event_names.h"

namespace headrace::bindings {
namespace nb = nanobind;

namespace {

model::TimeClass class_of(const std::string& name) {
  const auto& names = model::kTimeClassNames;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw Failure{{base::Code::kInvalid, "there is no class of time '" + name + "'"}};
  return static_cast<model::TimeClass>(found - names.begin());
}

/// Names may be any bytes, which str cannot be.
std::string text_of(nb::handle text) {
  if (!nb::isinstance<nb::bytes>(text)) return nb::cast<std::string>(text);
  const auto bytes = nb::cast<nb::bytes>(text);
  return {bytes.c_str(), bytes.size()};
}

events::Reference reference_of(nb::handle row) {
  events::Reference reference{
      .kind = nb::cast<std::string>(row[0]), .layer = nb::cast<std::string>(row[1]), .name = text_of(row[2])};
  const auto name = nb::cast<std::string>(row[3]);
  reference.time_class = class_of(name);
  reference.id = base::hash_text(reference.kind + " " + reference.layer + " " + reference.name + " " + name);
  return reference;
}

events::Location location_of(nb::handle row) {
  return {.process = nb::cast<uint64_t>(row[0]),
          .thread = nb::cast<uint32_t>(row[1]),
          .rank = nb::cast<int32_t>(row[2]),
          .host = nb::cast<std::string>(row[3]),
          .process_id = nb::cast<uint32_t>(row[4]),
          .lost = nb::cast<uint64_t>(row[5])};
}

std::vector<model::Event> events_of(nb::handle buffer) {
  Py_buffer view{};
  if (PyObject_GetBuffer(buffer.ptr(), &view, PyBUF_C_CONTIGUOUS) != 0) throw nb::python_error();
  const auto bytes = static_cast<size_t>(view.len);
  std::vector<model::Event> events(bytes / sizeof(model::Event));
  if (!events.empty()) std::memcpy(static_cast<void*>(events.data()), view.buf, events.size() * sizeof(model::Event));
  PyBuffer_Release(&view);
  if (bytes % sizeof(model::Event) != 0)
    throw Failure{{base::Code::kInvalid, "events are " + std::to_string(sizeof(model::Event)) + " bytes each"}};
  return events;
}

}  // namespace

void write_trace(const nb::bytes& path, const nb::list& locations, const nb::list& references, const nb::list& handles,
                 const nb::dict& facts, uint64_t job, uint8_t tick_shift) {
  auto sink = take(format::FileSink::open(std::string(path.c_str(), path.size()), format::FileSink::Mode::kReplace));
  auto writer = take(events::TraceWriter::open(std::move(sink), job));
  std::vector<std::pair<std::string, std::string>> told;
  for (auto [key, value] : facts) told.emplace_back(nb::cast<std::string>(key), nb::cast<std::string>(value));
  if (!told.empty()) check(writer.add_facts(told));
  std::vector<events::Reference> known;
  for (nb::handle row : references) known.push_back(reference_of(row));
  for (nb::handle row : locations) check(writer.add(location_of(row), events_of(row[6]), known, tick_shift));
  std::vector<events::Handle> named;
  for (nb::handle row : handles) {
    named.push_back({nb::cast<uint64_t>(row[0]), nb::cast<uint32_t>(row[1]), text_of(row[2])});
  }
  check(writer.add(named));
  check(writer.close());
}

}  // namespace headrace::bindings
