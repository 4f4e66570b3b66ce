#include "bindings/trace_export.h"

#include <memory>
#include <mutex>

#include "bindings/export_options.h"
#include "bindings/trace_tables.h"
#include "convert/perfetto/write.h"

namespace headrace::bindings {
namespace nb = nanobind;

namespace {

nb::dict write_perfetto(const nb::bytes& trace, uint64_t job, const nb::bytes& output, std::vector<uint32_t> locations,
                        uint64_t begin_at_ns, uint64_t end_at_ns, nb::object told) {
  auto reader = take(events::TraceReader::open(std::string(trace.c_str(), trace.size()), job));
  const convert::ExportOptions options =
      export_options(reader, std::move(locations), begin_at_ns, end_at_ns, std::move(told));
  auto sink =
      take(format::FileSink::open(std::string(output.c_str(), output.size()), format::FileSink::Mode::kReplace));
  base::Result<convert::Exported> result = [&] {
    const nb::gil_scoped_release release;
    return convert::perfetto::write(reader, options, *sink);
  }();
  nb::dict dict = told_of(std::move(result));
  dict["damaged_chunks"] = reader.damaged_chunks();
  return dict;
}

/// A trace on its way into tables. Any number of threads: calls take turns.
struct Tables {
  Tables(const std::string& path, uint64_t job, const std::vector<uint32_t>& locations, events::TimeRange range)
      : reader(take(events::TraceReader::open(path, job))), tables(reader, known(reader, locations), range) {}
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  std::vector<Frame> next(size_t most) {
    const std::lock_guard lock(mutex);
    return table_frames(take(tables.next(most)));
  }

  events::TraceReader reader;
  convert::TraceTables tables;
  std::mutex mutex;
};

nb::list next_of(Tables& self, size_t most) {
  std::vector<Frame> frames;
  {
    const nb::gil_scoped_release release;
    frames = self.next(most);
  }
  nb::list list;
  for (Frame& frame : frames) list.append(nb::cast(std::move(frame)));
  return list;
}

}  // namespace

void define_trace_export(nb::module_& module) {
  module.def("write_perfetto", write_perfetto, nb::arg("trace"), nb::arg("job"), nb::arg("output"),
             nb::arg("locations"), nb::arg("begin_at_ns"), nb::arg("end_at_ns"), nb::arg("told").none());
  nb::class_<Tables>(module, "TraceTables")
      .def(
          "__init__",
          [](Tables* self, const nb::bytes& trace, uint64_t job, const std::vector<uint32_t>& locations,
             uint64_t begin_at_ns, uint64_t end_at_ns) {
            new (self) Tables(std::string(trace.c_str(), trace.size()), job, locations, {begin_at_ns, end_at_ns});
          },
          nb::arg("trace"), nb::arg("job"), nb::arg("locations"), nb::arg("begin_at_ns"), nb::arg("end_at_ns"))
      .def("next", next_of, nb::arg("most"))
      .def("functions", [](Tables& self) { return function_frame(self.reader); })
      .def("handles", [](Tables& self) { return handle_frame(self.reader, self.tables); })
      .def("told", [](Tables& self) {
        nb::dict dict = told_of(self.tables.exported());
        dict["damaged_chunks"] = self.reader.damaged_chunks();
        return dict;
      });
}

}  // namespace headrace::bindings
