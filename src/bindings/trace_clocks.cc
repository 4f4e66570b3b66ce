#include "bindings/trace_clocks.h"

#include "base/utf8.h"
#include "bindings/to_python.h"

namespace headrace::bindings {
namespace nb = nanobind;

nb::list clock_list(const events::TraceReader& reader) {
  nb::list list;
  for (const events::NodeClock& node : reader.clocks().nodes()) {
    nb::list measured;
    for (const auto& each : node.measured) {
      std::string when;
      base::append_escaped(each.when, when);
      nb::dict row;
      row["when"] = str_of(when);
      row["at_ns"] = each.at_ns;
      row["added_ns"] = each.added_ns;
      row["error_ns"] = each.error_ns;
      measured.append(row);
    }
    nb::dict dict;
    dict["process"] = node.process;
    dict["processes"] = node.processes;
    dict["is_reference"] = node.is_reference;
    dict["measured"] = measured;
    dict["drift"] = node.drift;
    dict["jumped_ns"] = node.jumped_ns;
    dict["suspended_ns"] = node.suspended_ns;
    dict["calendar_step_ns"] = node.calendar_step_ns;
    dict["stray_ns"] = node.stray_ns;
    list.append(dict);
  }
  return list;
}

}  // namespace headrace::bindings
