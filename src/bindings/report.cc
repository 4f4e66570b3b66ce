#include "bindings/report.h"

#include <features.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "bindings/file_table.h"
#include "bindings/path_tree.h"
#include "bindings/to_python.h"

namespace headrace::bindings {
namespace nb = nanobind;
namespace {

nb::tuple column_of(const PackedColumn& column) {
  nb::list parts, values;
  for (const std::string& part : column.parts) parts.append(nb::bytes(part.data(), part.size()));
  for (const std::string& value : column.values) values.append(str_of(value));
  return nb::make_tuple(str_of(column.name), str_of(column.type), nb::tuple(parts),
                        column.type.starts_with("code") ? nb::object(values) : nb::none());
}

nb::tuple files_of(Log& log, const Frame& topmost, const Frame& system, uint64_t most) {
  FileTable table;
  {
    const nb::gil_scoped_release release;
    table = log.files_of(topmost, system, most);
  }
  nb::list columns;
  for (PackedColumn& column : table.columns) {
    columns.append(column_of(column));
    column = {};  // large: its bytes belong to Python now
  }
  nb::dict rest;
  rest["files"] = table.left_out.files;
  rest["bytes_read"] = table.left_out.bytes_read;
  rest["bytes_written"] = table.left_out.bytes_written;
  rest["time_ns"] = table.left_out.time_ns;
  rest["calls"] = table.left_out.calls;
  return nb::make_tuple(table.rows, columns, table.chosen, rest);
}

nb::tuple sites_of(Log& log, const Frame& topmost, const Frame& system, const std::vector<uint64_t>& chosen) {
  SiteSums sites;
  {
    const nb::gil_scoped_release release;
    sites = log.sites_of(topmost, system, chosen);
  }
  nb::list sums, opens;
  for (const SiteSums::Sum& sum : sites.sums) {
    sums.append(nb::make_tuple(str_of(sum.what), sum.stack, sum.records, sum.time_ns, sum.bytes));
  }
  for (uint32_t at : sites.opens) opens.append(at == SiteSums::kNone ? nb::int_(-1) : nb::int_(at));
  return nb::make_tuple(sums, opens);
}

nb::list tree_of(const Frame& by_path, uint64_t most) {
  std::vector<TreeNode> nodes;
  {
    const nb::gil_scoped_release release;
    nodes = path_tree(by_path, most);
  }
  nb::list list;
  for (const TreeNode& node : nodes) {
    nb::object parent = nb::none();
    if (node.parent != TreeNode::kNoParent) parent = nb::int_(node.parent);
    const auto& [files, read, written, time, calls] = node.sums;
    list.append(nb::make_tuple(parent, str_of(node.name), node.others, files, read, written, time, calls));
  }
  return list;
}

nb::tuple rate_of(Log& log, uint64_t bins, uint64_t begin, uint64_t end, const std::vector<uint64_t>& processes) {
  Rate rate;
  {
    const nb::gil_scoped_release release;
    rate = log.rate_of(processes, bins, begin, end);
  }
  return nb::make_tuple(rate.bytes[0], rate.bytes[1], rate.operations[0], rate.operations[1], rate.operations[2]);
}

nb::list widths_of(Log& log) {
  std::vector<SeriesWidth> widths;
  {
    const nb::gil_scoped_release release;
    widths = log.series_widths();
  }
  nb::list list;
  for (const SeriesWidth& each : widths) {
    list.append(nb::make_tuple(each.width_ns, each.begin_at_ns, each.end_at_ns, each.bytes, each.operations));
  }
  return list;
}

// Each measure as bytes of u16 and the value of one step of them: colours need no more.
nb::list rate_lines_of(Log& log, const std::vector<uint64_t>& processes, const std::vector<uint32_t>& line_of,
                       uint32_t lines, uint64_t bins, uint64_t end, uint64_t begin) {
  std::array<std::vector<double>, 3> values;
  {
    const nb::gil_scoped_release release;
    values = log.rate_lines(processes, line_of, lines, bins, end, begin);
  }
  nb::list result;
  for (const std::vector<double>& each : values) {
    const double most = each.empty() ? 0 : *std::max_element(each.begin(), each.end()), step = most / 65535;
    std::vector<uint16_t> packed(each.size());
    for (size_t i = 0; step > 0 && i < each.size(); ++i) {
      packed[i] = static_cast<uint16_t>(std::min(65535.0, std::round(each[i] / step)));
    }
    const nb::bytes bytes(reinterpret_cast<const char*>(packed.data()), packed.size() * sizeof(uint16_t));
    result.append(nb::make_tuple(bytes, step));
  }
  return result;
}

// The modules of functions.def, by function.
nb::dict function_modules() {
  nb::dict modules;
#define FUNCTION(id, ret, params, args, module, doc) modules[#id] = #module;
#define SPECIAL(id, ret, params, args, module, doc) modules[#id] = #module;
#define ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
  return modules;
}

nb::object pattern_of(uint64_t consecutive, uint64_t forward, uint64_t backward) {
  const std::string_view pattern = access_pattern(consecutive, forward, backward);
  return pattern.empty() ? nb::none() : nb::object(str_of(pattern));
}

}  // namespace

void define_report(nb::module_& module, nb::class_<Log>& log) {
  log.def("report_files", files_of, nb::arg("topmost"), nb::arg("system"), nb::arg("most"))
      .def("site_sums", sites_of, nb::arg("topmost"), nb::arg("system"), nb::arg("rows"))
      .def("rate", rate_of, nb::arg("bins"), nb::arg("begin_at_ns"), nb::arg("end_at_ns"),
           nb::arg("processes") = std::vector<uint64_t>())
      .def("rate_lines", rate_lines_of, nb::arg("processes"), nb::arg("line_of"), nb::arg("lines"), nb::arg("bins"),
           nb::arg("end_at_ns"), nb::arg("begin_at_ns") = 0)
      .def("series_widths", widths_of)
      .def_prop_ro("narrowest_span_ns", &Log::narrowest_span_ns);
  module.def("path_tree", tree_of, nb::arg("by_path"), nb::arg("most"));
  module.def("function_modules", function_modules);
  module.def("access_pattern", pattern_of, nb::arg("consecutive"), nb::arg("forward"), nb::arg("backward"));
}

}  // namespace headrace::bindings
