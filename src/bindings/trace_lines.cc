#include "bindings/trace_lines.h"

#include <nanobind/stl/string.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "base/utf8.h"
#include "bindings/errors.h"
#include "bindings/to_python.h"
#include "model/event_names.h"

namespace headrace::bindings {
namespace nb = nanobind;

using events::TraceReader;
using events::TraceRow;
using model::EventKind;

namespace {

constexpr size_t kKept = 1 << 16;  // texts and sizes that are remembered
constexpr uint64_t kLookedAt = 1 << 16;
constexpr uint64_t kUnknown = ~uint64_t{0};
constexpr uint32_t kNoRoot = ~uint32_t{0};

void add_number(std::string& out, uint64_t value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// With commas between thousands.
void add_grouped(std::string& out, uint64_t value) {
  char digits[24];
  const size_t length = static_cast<size_t>(std::to_chars(digits, digits + sizeof digits, value).ptr - digits);
  for (size_t i = 0; i < length; ++i) {
    if (i > 0 && (length - i) % 3 == 0) out += ',';
    out += digits[i];
  }
}

/// As duration() of commands/_text.py.
void add_duration(std::string& out, uint64_t ns) {
  char text[40];
  auto value = static_cast<double>(ns);
  const auto three_digits = [&] { snprintf(text, sizeof text, value >= 999.5 ? "%.0f" : "%.3g", value); };
  for (const char* unit : {"ns", "µs", "ms"}) {
    unit[0] == 'n' ? static_cast<void>(snprintf(text, sizeof text, "%.0f", value)) : three_digits();
    if (std::strtod(text, nullptr) < 1000) {
      out.append(text).append(" ").append(unit);
      return;
    }
    value /= 1e3;
  }
  if (value < 120) {
    three_digits();
    out.append(text).append(" s");
    return;
  }
  const auto seconds = static_cast<unsigned long long>(std::nearbyint(value)), minutes = seconds / 60;
  if (minutes >= 60)
    snprintf(text, sizeof text, "%llu h %02llu min", minutes / 60, minutes % 60);
  else
    snprintf(text, sizeof text, "%llu min %02llu s", minutes, seconds % 60);
  out += text;
}

bool is_operation(EventKind kind) { return kind == EventKind::kIoBegin || kind == EventKind::kIoEnd; }
bool is_whole(const TraceRow& row) {
  return row.event.kind() == EventKind::kIoBegin && row.duration_ns != events::kNoDuration;
}

/// Messages and counters are no calls.
bool is_chosen(events::CallFilter& filter, const TraceReader& trace, const TraceRow& row, uint32_t location) {
  const model::Event& event = row.event;
  const uint64_t error = event.kind() == EventKind::kIoEnd ? event.place : row.error;
  if (is_operation(event.kind()))
    return filter.has(event.reference(), trace.locations()[location].what.process, event.other, error != 0);
  return (event.kind() == EventKind::kEnter || event.kind() == EventKind::kLeave) && filter.has(event.reference());
}

std::string_view path_of(const TraceReader& trace, const TraceRow& row, uint32_t location) {
  return trace.handle(trace.locations()[location].what.process, row.event.other);
}

}  // namespace

const std::string& TraceLines::text(std::string_view bytes) {
  const auto [place, added] = texts_.try_emplace(std::string(bytes));
  if (!added) return place->second;
  std::string valid;
  if (base::is_utf8(bytes))
    valid = bytes;
  else
    base::append_escaped(bytes, valid);
  place->second = nb::cast<std::string>(text_(str_of(valid)));
  return place->second;
}

const std::string& TraceLines::size(uint64_t bytes) {
  if (sizes_.size() > kKept) sizes_.clear();
  const auto [place, added] = sizes_.try_emplace(bytes);
  if (added) place->second = nb::cast<std::string>(size_(bytes));
  return place->second;
}

std::string TraceLines::real(uint64_t bits) const { return nb::cast<std::string>(real_(std::bit_cast<double>(bits))); }

const std::string& TraceLines::name(const TraceReader& trace, const TraceRow& row) {
  const events::Reference& reference = trace.references()[row.event.reference()];
  if (as_json_ || !reference.name.empty()) return text(reference.name);
  std::string& told = unknown_[reference.id];
  char digits[40];
  snprintf(digits, sizeof digits, "unknown %016llx", static_cast<unsigned long long>(reference.id));
  if (told.empty()) told = digits;
  return told;
}

void TraceLines::add_lasted(uint64_t duration_ns) {
  if (duration_ns == kUnknown) return;
  out_ += "  ";
  add_duration(out_, duration_ns);
}

void TraceLines::add_operation(const TraceReader& trace, const TraceRow& row, uint32_t location,
                               std::string_view name) {
  const model::Event& event = row.event;
  const bool is_end = event.kind() == EventKind::kIoEnd, whole = is_whole(row);
  const uint64_t moved = is_end ? event.size : row.moved, error = is_end ? event.place : row.error;
  out_.append(whole ? "" : is_end ? "end " : "begin ").append(name);
  if (const std::string_view path = path_of(trace, row, location); !path.empty()) {
    out_.append("  ").append(text(path));
  } else if (event.other != 0) {
    out_ += "  file ";
    add_number(out_, event.other);
  }
  if (whole && event.size != moved)
    out_.append("  ").append(size(moved)).append(" of ").append(size(event.size));
  else if (event.size != 0 || moved != 0)
    out_.append("  ").append(size(event.size != 0 ? event.size : moved));
  if (!is_end && event.place != kUnknown) {
    out_ += "  at ";
    add_grouped(out_, event.place);
  }
  add_lasted(row.duration_ns);
  if (error == 0) return;
  const auto known = error > kNoRoot ? errors_.end() : errors_.find(static_cast<uint32_t>(error));
  out_ += "  ";
  known == errors_.end() ? add_number(out_, error) : static_cast<void>(out_ += known->second);
}

void TraceLines::add_line(const TraceReader& trace, const TraceRow& row, uint32_t location) {
  const model::Event& event = row.event;
  const EventKind kind = event.kind();
  char time[40];
  snprintf(time, sizeof time, "%6llu.%09llu  ", static_cast<unsigned long long>(event.time / 1'000'000'000),
           static_cast<unsigned long long>(event.time % 1'000'000'000));
  out_.append(time).append(heads_[location]).append("  ");
  const std::string& name = this->name(trace, row);
  if (is_operation(kind)) return add_operation(trace, row, location, name);
  if (kind == EventKind::kSend || kind == EventKind::kReceive) {
    out_.append(model::name_of(kind)).append(" ");
    add_grouped(out_, event.size);
    out_ += kind == EventKind::kSend ? " B to " : " B from ";
    add_number(out_, event.other);
    out_ += ", tag ";
    add_number(out_, event.place);
    out_.append(", ").append(name);
  } else if (kind == EventKind::kCollective) {
    out_.append("collective on ").append(name);
    if (event.other != kNoRoot) {
      out_ += ", root ";
      add_number(out_, event.other);
    }
    out_ += ": ";
    add_grouped(out_, event.size);
    out_ += " B sent, ";
    add_grouped(out_, event.place);
    out_ += " B received";
  } else if (kind == EventKind::kCounter) {
    out_.append(name).append(" = ").append(real(event.size));
  } else {
    out_.append(model::name_of(kind)).append(" ").append(name);
    if (kind == EventKind::kLeave && event.size != 0) out_.append("  ").append(size(event.size));
    if (kind == EventKind::kLeave && event.other != 0) {
      out_ += " at rank ";
      add_number(out_, event.other - 1);
    }
    add_lasted(row.duration_ns);
  }
}

void TraceLines::add_json(const TraceReader& trace, const TraceRow& row, uint32_t location) {
  const model::Event& event = row.event;
  const EventKind kind = event.kind();
  const bool is_end = kind == EventKind::kIoEnd, whole = is_whole(row);
  const auto key = [&](const char* name) -> std::string& { return out_.append(", \"").append(name).append("\": "); };
  const auto number = [&](const char* name, uint64_t value) { add_number(key(name), value); };
  const auto known = [&](const char* name, uint64_t value, bool is_known) {
    is_known ? number(name, value) : static_cast<void>(key(name) += "null");
  };
  out_ += "{\"time_ns\": ";
  add_number(out_, event.time);
  out_.append(", ").append(heads_[location]);
  key("kind").append("\"").append(whole ? "io" : model::name_of(kind)).append("\"");
  if (kind == EventKind::kSend || kind == EventKind::kReceive || kind == EventKind::kCollective) {
    key("communicator") += name(trace, row);
    if (kind == EventKind::kCollective) {
      known("root", event.other, event.other != kNoRoot);
      number("sent", event.size);
      number("received", event.place);
    } else {
      number("peer", event.other);
      number("tag", event.place);
      number("size", event.size);
    }
  } else if (kind == EventKind::kCounter) {
    key("name") += name(trace, row);
    const bool finite = std::isfinite(std::bit_cast<double>(event.size));  // JSON has no other numbers
    key("value").append(finite ? "" : "\"").append(real(event.size)).append(finite ? "" : "\"");
  } else {
    key("layer") += text(trace.references()[event.reference()].layer);
    key("name") += name(trace, row);
    if (kind != EventKind::kEnter) known("duration_ns", row.duration_ns, row.duration_ns != kUnknown);
    if (kind == EventKind::kLeave) number("moved", event.size);
    if (kind == EventKind::kLeave && event.other != 0) number("target", event.other - 1);
    if (is_operation(kind)) {
      const std::string_view path = path_of(trace, row, location);
      number("handle", event.other);
      key("path").append(path.empty() ? std::string_view("null") : std::string_view(text(path)));
    }
    if (kind == EventKind::kIoBegin) {
      number("size", event.size);
      known("offset", event.place, event.place != kUnknown);
    }
    if (whole || is_end) {
      number("moved", is_end ? event.size : row.moved);
      number("error", is_end ? event.place : row.error);
    }
  }
  out_ += '}';
}

std::string TraceLines::next(TraceReader& trace, events::TraceRows& rows, events::CallFilter& filter, uint64_t most,
                             Printed* printed) {
  if (texts_.size() > kKept) texts_.clear();
  out_.clear();
  *printed = {.more = true};
  for (uint64_t seen = 0; printed->lines < most && seen < kLookedAt; ++seen) {
    const TraceRow* row = take(rows.next());
    printed->more = row != nullptr;
    if (row == nullptr) break;
    const uint32_t location = rows.location();
    if (!filter.everything() && !is_chosen(filter, trace, *row, location)) continue;
    as_json_ ? add_json(trace, *row, location) : add_line(trace, *row, location);
    out_ += '\n';
    printed->lines++;
  }
  return out_;
}

}  // namespace headrace::bindings
