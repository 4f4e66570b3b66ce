#include "bindings/trace.h"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>

#include "base/utf8.h"
#include "bindings/errors.h"
#include "bindings/export_options.h"
#include "bindings/to_python.h"
#include "bindings/trace_clocks.h"
#include "bindings/trace_frames.h"
#include "bindings/trace_lines.h"
#include "bindings/trace_tables.h"
#include "bindings/write_trace.h"
#include "events/collective_waits.h"
#include "events/message_sums.h"
#include "events/mpi_threads.h"
#include "events/trace_check.h"
#include "events/trace_reader.h"
#include "events/unify.h"
#include "model/event_names.h"

namespace headrace::bindings {
namespace nb = nanobind;

namespace {

using Release = nb::call_guard<nb::gil_scoped_release>;

/// Any number of threads: calls take turns. Throws Failure.
struct Trace {
  Trace(std::string name, uint64_t job)
      : path(std::move(name)), reader(located(events::TraceReader::open(path, job))) {}

  /// Names the file in a message that does not.
  template <typename T>
  T located(base::Result<T> result) const {
    const base::Status& status = result.status();
    if (!result.ok() && status.message().find(path) == std::string::npos)
      throw Failure{{status.code(), path + ": " + status.message()}};
    return take(std::move(result));
  }

  /// Nanoseconds, by the first chunk that can be read; 0: there is none.
  uint64_t tick_ns() {
    const std::lock_guard lock(mutex);
    events::DecodedChunk chunk;
    for (const events::TraceLocation& location : reader.locations())
      for (const uint32_t number : location.chunks)
        if (reader.read(number, chunk).ok()) return uint64_t{1} << chunk.tick_shift;
    return 0;
  }

  std::string path;
  events::TraceReader reader;
  std::mutex mutex;
};

/// Patterns of files, patterns of functions, whether errors alone.
using CallWords = std::tuple<std::vector<nb::bytes>, std::vector<nb::bytes>, bool>;

std::vector<std::string> strings_of(const std::vector<nb::bytes>& words) {
  std::vector<std::string> strings;
  for (const nb::bytes& word : words) strings.emplace_back(word.c_str(), word.size());
  return strings;
}

events::CallChoice choice_of(const CallWords& words) {
  const auto& [files, functions, errors] = words;
  return {strings_of(files), strings_of(functions), errors};
}

struct TraceRowsReader {
  TraceRowsReader(std::shared_ptr<Trace> of, const std::vector<uint32_t>& locations, events::TimeRange range,
                  events::CallChoice calls)
      : trace(std::move(of)),
        rows(trace->reader, known(trace->reader, locations), range),
        filter(trace->reader, std::move(calls)) {}

  TraceRowsReader(const TraceRowsReader&) = delete;
  TraceRowsReader& operator=(const TraceRowsReader&) = delete;

  Frame next(uint64_t most) {
    const std::lock_guard lock(trace->mutex);
    return row_frame(trace->reader, rows, most);
  }

  nb::tuple lines(TraceLines& lines, uint64_t most) {
    const std::lock_guard lock(trace->mutex);
    TraceLines::Printed printed;
    const std::string text = lines.next(trace->reader, rows, filter, most, &printed);
    return nb::make_tuple(printed.lines, str_of(text), printed.more);
  }

  std::shared_ptr<Trace> trace;
  events::TraceRows rows;
  events::CallFilter filter;
};

std::string escaped(const std::string& text) {
  std::string valid;
  base::append_escaped(text, valid);
  return valid;
}

nb::dict facts_of(Trace& trace) {
  nb::dict dict;
  for (const auto& [key, value] : trace.reader.facts()) dict[str_of(escaped(key))] = str_of(escaped(value));
  return dict;
}

nb::dict accounts_of(Trace& trace) {
  nb::dict dict;
  for (const auto& [what, count] : trace.reader.accounts()) dict[str_of(escaped(what))] = count;
  return dict;
}

/// Chunks that are there twice, of which one is read.
uint64_t copies_in(Trace& trace) {
  const std::lock_guard lock(trace.mutex);
  const std::vector<format::Damage> damage = trace.reader.damage();
  return static_cast<uint64_t>(
      std::count_if(damage.begin(), damage.end(), [](const format::Damage& each) { return each.is_copy; }));
}

nb::list damage_of(Trace& trace) {
  const std::lock_guard lock(trace.mutex);
  nb::list list;
  for (const format::Damage& damage : trace.reader.damage())
    if (!damage.is_copy) list.append(nb::make_tuple(damage.offset, damage.bytes, str_of(escaped(damage.reason))));
  return list;
}

template <typename Names, typename Numbers>
nb::dict named(const Names& names, const Numbers& numbers) {
  nb::dict dict;
  for (size_t i = 0; i < names.size(); ++i) dict[str_of(names[i])] = numbers[i];
  return dict;
}

nb::dict stats_of(Trace& trace, const std::vector<uint32_t>& locations, uint64_t begin_at_ns, uint64_t end_at_ns,
                  const CallWords& words, bool by_file) {
  (void)known(trace.reader, locations);
  const events::StatsOptions options{choice_of(words), by_file};
  events::TraceStats stats;
  Frame spans, files;
  {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(trace.mutex);
    stats = trace.located(events::add_up(trace.reader, locations, {begin_at_ns, end_at_ns}, options));
    spans = span_frame(trace.reader, stats);
    files = file_call_frame(stats);
  }
  nb::dict dict, traffic;
  traffic["sends"] = stats.traffic.sends;
  traffic["bytes_sent"] = stats.traffic.sent;
  traffic["receives"] = stats.traffic.receives;
  traffic["bytes_received"] = stats.traffic.received;
  traffic["collectives"] = stats.traffic.collectives;
  dict["events"] = stats.events;
  dict["kinds"] = named(model::kEventKindNames, stats.kinds);
  dict["class_ns"] = named(model::kTimeClassNames, stats.class_ns);
  dict["traffic"] = traffic;
  dict["spans"] = nb::cast(std::move(spans));
  dict["files"] = nb::cast(std::move(files));
  return dict;
}

nb::dict check_of(Trace& trace, const std::vector<uint32_t>& finalized) {
  events::TraceChecks found;
  {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(trace.mutex);
    found = trace.located(events::check(trace.reader, finalized));
  }
  nb::dict dict;
  dict["events"] = found.events;
  dict["unbalanced"] = found.unbalanced;
  dict["unbalanced_where_lost"] = found.unbalanced_where_lost;
  dict["unbalanced_at"] = nb::cast(found.unbalanced_at);
  dict["unfinished"] = found.unfinished;
  dict["backward"] = found.backward;
  dict["backward_at"] = nb::cast(found.backward_at);
  dict["nameless"] = found.nameless;
  dict["handleless"] = found.handleless;
  dict["of_no_rank"] = found.of_no_rank;
  dict["messages_missed"] = found.missed_messages;
  dict["messages_elsewhere"] = found.foreign_messages;
  dict["messages_matched"] = found.messages.matched;
  dict["messages_not_received"] = found.messages.not_received;
  dict["messages_not_sent"] = found.messages.not_sent;
  dict["channels_of_other_size"] = found.messages.other_size;
  dict["messages_of_unfinalized"] = found.messages.of_unfinalized;
  dict["unfinalized"] = nb::cast(found.unfinalized);
  dict["knows_finalize"] = found.knows_finalize;
  dict["messages_before_sent"] = found.messages.before_sent;
  dict["messages_before_sent_unaligned"] = found.before_sent_unaligned;
  return dict;
}

Frame file_totals_of(Trace& trace) {
  const std::lock_guard lock(trace.mutex);
  return file_frame(trace.located(events::file_totals(trace.reader)));
}

Frame messages_of(Trace& trace, uint64_t begin_at_ns, uint64_t end_at_ns) {
  const std::lock_guard lock(trace.mutex);
  const auto pairs = trace.located(events::pair_messages(trace.reader, {begin_at_ns, end_at_ns}));
  return message_frame(trace.reader, pairs);
}

nb::dict message_sums_of(Trace& trace, uint64_t begin_at_ns, uint64_t end_at_ns) {
  events::MessageSums sums;
  Frame pairs;
  {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(trace.mutex);
    auto messages = trace.located(events::pair_messages(trace.reader, {begin_at_ns, end_at_ns}));
    sums = events::sum_messages(messages);
    pairs = rank_pair_frame(sums);
  }
  nb::dict dict;
  dict["pairs"] = nb::cast(std::move(pairs));
  dict["before_sent"] = sums.before_sent;
  dict["without_call"] = sums.without_call;
  return dict;
}

nb::dict collective_waits_of(Trace& trace, uint64_t begin_at_ns, uint64_t end_at_ns) {
  events::CollectiveWaits waits;
  Frame functions, ranks;
  {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(trace.mutex);
    waits = trace.located(events::collective_waits(trace.reader, {begin_at_ns, end_at_ns}));
    functions = collective_frame(trace.reader, waits);
    ranks = rank_wait_frame(waits);
  }
  nb::dict dict;
  dict["functions"] = nb::cast(std::move(functions));
  dict["ranks"] = nb::cast(std::move(ranks));
  dict["incomplete"] = waits.incomplete;
  dict["out_of_step"] = waits.out_of_step;
  return dict;
}

uint64_t before_sent_of(Trace& trace, bool aligned) {
  const std::lock_guard lock(trace.mutex);
  trace.reader.align(aligned);
  auto count = events::messages_before_sent(trace.reader);
  trace.reader.align(true);
  return trace.located(std::move(count));
}

nb::dict unify_of(const std::vector<nb::bytes>& sources, const nb::bytes& target, unsigned threads) {
  std::vector<std::string> names;
  for (const nb::bytes& source : sources) names.emplace_back(source.c_str(), source.size());
  const std::string name(target.c_str(), target.size());
  events::Unified made;
  {
    const nb::gil_scoped_release release;
    made = take(events::unify(names, name, threads));
  }
  nb::dict dict;
  dict["chunks"] = made.chunks;
  dict["events"] = made.events;
  dict["bytes"] = made.bytes;
  dict["resumed_bytes"] = made.resumed;
  dict["damaged_chunks"] = made.damaged;
  return dict;
}

nb::dict overview_of(Trace& trace, uint32_t columns, uint32_t rows, uint64_t begin_at_ns, uint64_t end_at_ns,
                     const std::vector<uint32_t>& locations, const std::vector<uint32_t>& first, uint64_t most_decoded,
                     unsigned threads) {
  events::Overview seen;
  Frame cells;
  {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(trace.mutex);
    seen = trace.located(events::overview(
        trace.reader, {begin_at_ns, end_at_ns, columns, rows, locations, first, most_decoded, threads}));
    cells = overview_frame(seen);
  }
  nb::dict dict;
  dict["begin_at_ns"] = seen.begin_at_ns;
  dict["end_at_ns"] = seen.end_at_ns;
  dict["columns"] = seen.columns;
  dict["rows"] = seen.rows;
  dict["first"] = nb::cast(seen.first);
  dict["precision_ns"] = seen.precision_ns;
  dict["chunks"] = seen.chunks;
  dict["decoded_chunks"] = seen.decoded_chunks;
  dict["unread_chunks"] = seen.unread_chunks;
  dict["cells"] = nb::cast(std::move(cells));
  return dict;
}

}  // namespace

void define_trace(nb::module_& module) {
  nb::class_<TraceLines>(module, "TraceLines")
      .def(nb::init<std::vector<std::string>, bool, nb::callable, nb::callable, nb::callable,
                    std::unordered_map<uint32_t, std::string>>(),
           nb::arg("heads"), nb::arg("as_json"), nb::arg("text"), nb::arg("size"), nb::arg("real"), nb::arg("errors"));
  nb::class_<TraceRowsReader>(module, "TraceRows")
      .def("next", &TraceRowsReader::next, nb::arg("most"), Release())
      .def("lines", &TraceRowsReader::lines, nb::arg("lines"), nb::arg("most"));
  nb::class_<Trace>(module, "Trace")
      .def(
          "__init__",
          [](Trace* self, const nb::bytes& path, uint64_t job) {
            std::string name(path.c_str(), path.size());
            const nb::gil_scoped_release release;
            new (self) Trace(std::move(name), job);
          },
          nb::arg("path"), nb::arg("job") = 0)
      .def_prop_ro("size", [](Trace& trace) { return trace.reader.size(); })
      .def_prop_ro("closed", [](Trace& trace) { return trace.reader.closed(); })
      .def_prop_ro("damaged_chunks",
                   [](Trace& trace) {
                     const std::lock_guard lock(trace.mutex);
                     return trace.reader.damaged_chunks();
                   })
      .def_prop_ro("copies", copies_in)
      .def_prop_ro("tick_ns", &Trace::tick_ns)
      .def("facts", facts_of)
      .def("accounts", accounts_of)
      .def("clocks", [](Trace& trace) { return clock_list(trace.reader); })
      .def("clock_processes",
           [](Trace& trace) {
             std::set<uint64_t> processes;
             for (const events::ClockRow& row : trace.reader.clock_rows()) processes.insert(row.process);
             return std::vector<uint64_t>(processes.begin(), processes.end());
           })
      .def("messages_before_sent", before_sent_of, nb::arg("aligned"), Release())
      .def("locations", [](Trace& trace) { return location_frame(trace.reader); })
      .def("references", [](Trace& trace) { return function_frame(trace.reader); })
      .def("damage", damage_of)
      .def("verify",
           [](Trace& trace) {
             const nb::gil_scoped_release release;
             const std::lock_guard lock(trace.mutex);
             check(trace.reader.verify());
           })
      .def("stats", stats_of, nb::arg("locations"), nb::arg("begin_at_ns") = 0, nb::arg("end_at_ns") = ~uint64_t{0},
           nb::arg("calls") = CallWords(), nb::arg("by_file") = false)
      .def(
          "threads_of_mpi",
          [](Trace& trace, const std::vector<uint32_t>& locations) {
            const nb::gil_scoped_release release;
            const std::lock_guard lock(trace.mutex);
            return trace.located(events::threads_of_mpi(trace.reader, locations));
          },
          nb::arg("locations"))
      .def("check", check_of, nb::arg("finalized") = std::vector<uint32_t>())
      .def("file_totals", file_totals_of, Release())
      .def("messages", messages_of, nb::arg("begin_at_ns") = 0, nb::arg("end_at_ns") = ~uint64_t{0}, Release())
      .def("message_sums", message_sums_of, nb::arg("begin_at_ns") = 0, nb::arg("end_at_ns") = ~uint64_t{0})
      .def("collective_waits", collective_waits_of, nb::arg("begin_at_ns") = 0, nb::arg("end_at_ns") = ~uint64_t{0})
      .def("overview", overview_of, nb::arg("columns"), nb::arg("rows"), nb::arg("begin_at_ns") = 0,
           nb::arg("end_at_ns") = 0, nb::arg("locations") = std::vector<uint32_t>(),
           nb::arg("first") = std::vector<uint32_t>(), nb::arg("most_decoded") = events::OverviewQuery().most_decoded,
           nb::arg("threads") = 0)
      .def(
          "rows",
          [](std::shared_ptr<Trace> trace, const std::vector<uint32_t>& locations, uint64_t begin_at_ns,
             uint64_t end_at_ns, const CallWords& calls) {
            return std::make_shared<TraceRowsReader>(std::move(trace), locations,
                                                     events::TimeRange{begin_at_ns, end_at_ns}, choice_of(calls));
          },
          nb::arg("locations"), nb::arg("begin_at_ns") = 0, nb::arg("end_at_ns") = ~uint64_t{0},
          nb::arg("calls") = CallWords());
  module.def("unify_traces", unify_of, nb::arg("sources"), nb::arg("target"), nb::arg("threads") = 0);
  module.def("write_trace", write_trace, nb::arg("path"), nb::arg("locations"), nb::arg("references"),
             nb::arg("handles") = nb::list(), nb::arg("facts") = nb::dict(), nb::arg("job") = 0,
             nb::arg("tick_shift") = 0);
}

}  // namespace headrace::bindings
