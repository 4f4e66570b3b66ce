// headrace._native: job logs for Python. What the functions promise is written in python/headrace/_native.pyi.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cxxabi.h>

#include <cstdlib>
#include <numeric>
#include <string>

#include "bindings/anonymize.h"
#include "bindings/arrow_export.h"
#include "bindings/chunks.h"
#include "bindings/clusters.h"
#include "bindings/darshan.h"
#include "bindings/errors.h"
#include "bindings/log.h"
#include "bindings/made_log.h"
#include "bindings/match.h"
#include "bindings/report.h"
#include "bindings/schema.h"
#include "bindings/summarize.h"
#include "bindings/to_python.h"
#include "bindings/trace.h"
#include "bindings/trace_export.h"
#include "bindings/write_tables.h"
#include "model/counters.h"
#include "model/file_record.h"

namespace nb = nanobind;

namespace headrace::bindings {
namespace {

using Release = nb::call_guard<nb::gil_scoped_release>;

template <typename Struct>
nb::capsule capsule_of(Struct exported, const char* name) {
  return nb::capsule(new Struct(exported), name, [](void* pointer) noexcept {
    auto* owned = static_cast<Struct*>(pointer);
    if (owned->release) owned->release(owned);  // null once a consumer has taken it
    delete owned;
  });
}

nb::tuple arrow_of(const Frame& frame, const nb::object&) {
  return nb::make_tuple(capsule_of(export_schema(frame), "arrow_schema"),
                        capsule_of(export_array(frame), "arrow_array"));
}

nb::list rows_of(const Frame& frame, const std::optional<std::vector<uint64_t>>& rows,
                 const std::vector<std::string>& columns) {
  nb::list list;
  RowMaker maker(frame, columns);
  for (uint64_t i = 0; i < (rows ? rows->size() : frame.rows); ++i) {
    const uint64_t row = rows ? (*rows)[i] : i;
    if (row >= frame.rows) throw nb::index_error("row number beyond the end of the table");
    list.append(maker.row(row));
  }
  return list;
}

/// Numbers of the rows that have a value in a column. Raises KeyError where there is no such column, TypeError where it
/// holds values of another kind.
std::vector<uint64_t> rows_where(const Frame& frame, const nb::dict& wanted) {
  std::vector<uint64_t> found(frame.rows);
  std::iota(found.begin(), found.end(), uint64_t{0});
  for (auto [key, value] : wanted) {
    const Values* column = frame.find(nb::cast<std::string_view>(key));
    if (column == nullptr) throw nb::key_error(nb::cast<std::string>(key).c_str());
    const bool is_text = nb::isinstance<nb::str>(value), is_number = nb::isinstance<nb::int_>(value);
    if (is_text && column->kind == Kind::kText) {
      const auto text = nb::cast<std::string_view>(value);
      std::erase_if(found, [&](uint64_t row) { return column->text(row) != text; });
    } else if (is_number && column->kind == Kind::kU64) {
      uint64_t number = 0;
      const bool fits = nb::try_cast(value, number);
      std::erase_if(found, [&](uint64_t row) { return !fits || column->words[row] != number; });
    } else {
      throw nb::type_error("a column of text is compared with str, one of numbers from 0 with int");
    }
  }
  return found;
}

std::vector<uint64_t> records_of(const Frame& frame, uint64_t row) {
  if (row + 1 >= frame.record_starts.size()) throw nb::index_error("no merged row of this number");
  const auto begin = frame.records.begin();
  return {begin + static_cast<std::ptrdiff_t>(frame.record_starts[row]),
          begin + static_cast<std::ptrdiff_t>(frame.record_starts[row + 1])};
}

nb::list file_kinds() {
  nb::list kinds;
  for (uint32_t kind = 0; kind < model::kFileKinds; ++kind)
    kinds.append(str_of(model::kind_name(static_cast<model::FileKind>(kind))));
  return kinds;
}

nb::list damage_of(Log& log) {
  nb::list list;
  for (const format::Damage& damage : log.damage()) {
    list.append(nb::make_tuple(damage.offset, damage.bytes, str_of(damage.reason)));
  }
  return list;
}

nb::dict column_dict(const ColumnInfo& column) {
  nb::dict dict;
  dict["name"] = str_of(column.name);
  dict["unit"] = str_of(column.unit);
  if (!column.merge.empty()) dict["merge"] = str_of(column.merge);
  if (!column.with.empty()) dict["with"] = str_of(column.with);
  dict["doc"] = str_of(column.doc);
  return dict;
}

nb::dict schema() {
  nb::dict tables;
  for (const TableInfo& table : known_tables()) {
    nb::list columns;
    for (const ColumnInfo& column : table.columns) columns.append(column_dict(column));
    tables[str_of(table.name)] = columns;
  }
  return tables;
}

nb::list flags() {
  nb::list list;
  for (const model::FlagInfo& flag : model::kFlags) {
    list.append(nb::make_tuple(str_of(flag.name), flag.bit, str_of(flag.doc)));
  }
  return list;
}

nb::list histogram_of(Log& log, const Selection& selection) {
  std::array<model::SizeHistogram, 2> histograms;
  {
    const nb::gil_scoped_release release;
    histograms = log.histogram(selection);
  }
  nb::list list;
  for (const model::SizeHistogram& histogram : histograms) {
    nb::list counts;
    for (uint64_t count : histogram.counts) counts.append(count);
    list.append(counts);
  }
  return list;
}

nb::list common_of(Log& log, const std::vector<std::vector<uint64_t>>& groups) {
  std::vector<CommonRow> rows;
  {
    const nb::gil_scoped_release release;
    rows = log.common(groups);
  }
  nb::list list;
  for (const CommonRow& row : rows) {
    list.append(nb::make_tuple(row.group, row.direction == 0 ? "read" : "write", row.stride ? "stride" : "size",
                               row.value, row.count, row.exact));
  }
  return list;
}

/// The name of a C++ function in its own language; any other symbol as it is.
std::string demangle(const std::string& symbol) {
  int status = 0;
  char* name = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  const std::string result = name != nullptr ? name : symbol;
  std::free(name);
  return result;
}

using RunArgument = std::tuple<const Frame*, std::string, uint32_t>;

Frame match_of(const std::vector<RunArgument>& arguments) {
  std::vector<Run> runs;
  for (const auto& [frame, directory, side] : arguments) runs.push_back({frame, directory, side});
  const nb::gil_scoped_release release;
  return take(match_files(runs));
}

nb::dict match_counts_of(const Frame& matched, uint32_t side) {
  const MatchCounts counts = match_counts(matched, side);
  nb::dict dict;
  dict["by_path"] = counts.by_path;
  dict["by_directory"] = counts.by_directory;
  dict["only_in_base"] = counts.only_in_base;
  dict["only_in_side"] = counts.only_in_side;
  dict["time_ns_only_in_base"] = counts.time_ns_only_in_base;
  dict["time_ns_only_in_side"] = counts.time_ns_only_in_side;
  dict["moved_ns"] = counts.moved_ns;
  return dict;
}

nb::tuple summaries_of(const std::vector<nb::bytes>& paths, uint32_t threads) {
  std::vector<std::string> names;
  for (const nb::bytes& path : paths) names.emplace_back(path.c_str(), path.size());
  Summaries made;
  {
    const nb::gil_scoped_release release;
    made = summarize_logs(names, threads);
  }
  nb::list bad;
  for (const Summaries::Bad& one : made.bad)  // with the path, which is any bytes
    bad.append(nb::make_tuple(one.path, nb::bytes(one.reason.data(), one.reason.size())));
  return nb::make_tuple(std::move(made.logs), std::move(made.instances), std::move(made.files),
                        std::move(made.access_sizes), std::move(made.facts), bad);
}

std::vector<std::string> contents_of(const std::vector<nb::bytes>& paths, uint32_t threads) {
  std::vector<std::string> names;
  for (const nb::bytes& path : paths) names.emplace_back(path.c_str(), path.size());
  const nb::gil_scoped_release release;
  return log_contents(names, threads);
}

void define_frame(nb::module_& module) {
  nb::class_<Frame>(module, "Frame")
      .def_ro("name", &Frame::name)
      .def("__len__", [](const Frame& frame) { return frame.rows; })
      .def("__arrow_c_array__", arrow_of, nb::arg("requested_schema") = nb::none())
      .def("rows", rows_of, nb::arg("numbers") = nb::none(), nb::arg("columns") = std::vector<std::string>())
      .def("where", rows_where, nb::arg("equal"))
      .def(
          "top",
          [](const Frame& frame, const std::string& sort, uint64_t limit) { return take(top(frame, sort, limit)); },
          nb::arg("sort"), nb::arg("limit"), Release())
      .def("records", records_of, nb::arg("row"));
}

nb::class_<Log> define_log(nb::module_& module) {
  nb::class_<Log> log(module, "Log");
  log.def(
         "__init__",
         [](Log* self, const nb::bytes& path, uint64_t job, std::shared_ptr<SharedAnonymizer> anonymizer) {
           std::string name(path.c_str(), path.size());
           const nb::gil_scoped_release release;
           new (self) Log(std::move(name), job, std::move(anonymizer));
         },
         nb::arg("path"), nb::arg("job") = 0, nb::arg("anonymizer") = nb::none())
      .def("tables", &Log::tables)
      .def_prop_ro("jobs", &Log::jobs)
      .def_prop_ro("size", &Log::size)
      .def_prop_ro("closed", &Log::closed)
      .def("damage", damage_of)
      .def("verify", &Log::verify, Release())
      .def("frame", &Log::frame, nb::arg("name"), Release())
      .def("raw", &Log::raw, nb::arg("name"), Release())
      .def(
          "merge",
          [](Log& log, const std::string& by, std::vector<uint64_t> processes, std::vector<std::string> kinds,
             std::vector<std::string> layers, std::string whose) {
            return log.merge(by, {std::move(processes), std::move(kinds), std::move(layers), std::move(whose)});
          },
          nb::arg("by"), nb::arg("processes") = std::vector<uint64_t>(), nb::arg("kinds") = std::vector<std::string>(),
          nb::arg("layers") = std::vector<std::string>(), nb::arg("whose") = std::string(), Release())
      .def(
          "histogram",
          [](Log& log, std::vector<uint64_t> processes, std::vector<std::string> kinds, std::vector<std::string> layers,
             std::string whose) {
            return histogram_of(log, {std::move(processes), std::move(kinds), std::move(layers), std::move(whose)});
          },
          nb::arg("processes") = std::vector<uint64_t>(), nb::arg("kinds") = std::vector<std::string>(),
          nb::arg("layers") = std::vector<std::string>(), nb::arg("whose") = std::string())
      .def("columns", &Log::columns, nb::arg("table"), Release())
      .def("functions", &Log::functions, nb::arg("processes") = std::vector<uint64_t>(), Release())
      .def("process_layers", &Log::process_layers, Release())
      .def("rank_statistics", &Log::rank_statistics, nb::arg("merged"), Release())
      .def("first_opens", &Log::first_opens, nb::arg("merged"), Release())
      .def("process_sums", &Log::process_sums, nb::arg("merged"), nb::arg("rows"), nb::arg("every") = false, Release())
      .def("properties", &Log::properties, nb::arg("merged"), nb::arg("rows") = nb::none(), Release())
      .def("common", common_of, nb::arg("groups"));
  return log;
}

}  // namespace
}  // namespace headrace::bindings

NB_MODULE(_native, module) {
  using namespace headrace::bindings;
  register_errors();
  define_frame(module);
  nb::class_<Log> log = define_log(module);
  define_report(module, log);
  define_anonymize(module);
  define_clusters(module);
  define_chunks(module);
  define_trace(module);
  define_trace_export(module);
  module.def("counters", [] {
    nb::list list;
    for (const ColumnInfo& column : counter_columns()) list.append(column_dict(column));
    return list;
  });
  module.def("flags", flags);
  module.def("match", match_of, nb::arg("runs"));
  module.def("match_counts", match_counts_of, nb::arg("matched"), nb::arg("side"));
  module.def("most_changed", most_changed, nb::arg("matched"), nb::arg("term"), nb::arg("sides"), nb::arg("limit"),
             Release());
  module.def("schema", schema);
  module.def("file_kinds", file_kinds);
  module.def("summarize_logs", summaries_of, nb::arg("paths"), nb::arg("threads"));
  module.def("log_contents", contents_of, nb::arg("paths"), nb::arg("threads"));
  module.def("write_tables", write_tables, nb::arg("path"), nb::arg("tables"), nb::arg("job") = 0);
  module.def("write_made_log", write_made_log, nb::arg("path"), nb::arg("id"), nb::arg("facts"), nb::arg("programs"),
             nb::arg("files"), nb::arg("mount"), nb::arg("mount_type"));
  module.def(
      "convert",
      [](Log& log, const std::string& format, const nb::bytes& output) {
        const std::string path(output.c_str(), output.size());
        headrace::convert::darshan::LeftOut left;
        {
          const nb::gil_scoped_release release;
          left = convert_log(log, format, path);
        }
        nb::dict rest;
        rest["processes"] = left.processes;
        rest["records"] = left.records;
        rest["bytes"] = left.bytes;
        rest["mpi_files"] = left.mpi_files;
        rest["unranked_bytes"] = left.unranked_bytes;
        return rest;
      },
      nb::arg("log"), nb::arg("format"), nb::arg("output"));
  module.def(
      "convert_to_trace",
      [](Log& log, const nb::bytes& output) {
        const std::string path(output.c_str(), output.size());
        headrace::convert::darshan::Traced traced;
        {
          const nb::gil_scoped_release release;
          traced = convert_to_trace(log, path);
        }
        nb::dict told;
        told["operations"] = traced.operations;
        told["lanes"] = traced.lanes;
        told["left_out"] = traced.left_out;
        told["backward"] = traced.backward;
        told["untraced"] = traced.untraced;
        return told;
      },
      nb::arg("log"), nb::arg("output"));
  module.def("demangle", demangle, nb::arg("symbol"));
  module.attr("version") = HEADRACE_VERSION;
}
