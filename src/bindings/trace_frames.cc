#include "bindings/trace_frames.h"

#include <string_view>

#include "bindings/errors.h"
#include "model/event_names.h"

namespace headrace::bindings {

using events::Reference;
using events::TraceLocation;
using events::TraceReader;
using events::TraceRow;
using model::EventKind;

namespace {

template <typename Rows, typename Pick>
Values numbers_of(std::string name, const Rows& rows, Pick pick, Kind kind = Kind::kU64) {
  std::vector<uint64_t> words;
  words.reserve(rows.size());
  for (const auto& row : rows) words.push_back(static_cast<uint64_t>(pick(row)));
  return number_values(std::move(name), std::move(words), kind);
}

template <typename Rows, typename Pick>
Values texts_of(std::string name, const Rows& rows, Pick pick) {
  TextBuilder builder;
  for (const auto& row : rows) builder.add(pick(row));
  return builder.finish(std::move(name));
}

std::string_view kind_of(const TraceRow& row) {
  const EventKind kind = row.event.kind();
  return kind == EventKind::kIoBegin && row.duration_ns != events::kNoDuration ? "io" : model::name_of(kind);
}

uint64_t bytes_of(const TraceRow& row) { return row.event.kind() == EventKind::kIoEnd ? row.event.size : row.moved; }
uint64_t error_of(const TraceRow& row) { return row.event.kind() == EventKind::kIoEnd ? row.event.place : row.error; }
bool is_io(const TraceRow& row) {
  return row.event.kind() == EventKind::kIoBegin || row.event.kind() == EventKind::kIoEnd;
}

struct Line {
  uint32_t location;
  TraceRow row;
};

}  // namespace

Frame location_frame(const TraceReader& trace) {
  const auto& all = trace.locations();
  using L = TraceLocation;
  Frame frame{.name = "locations", .rows = all.size()};
  frame.columns.push_back(numbers_of("process", all, [](const L& row) { return row.what.process; }));
  frame.columns.push_back(numbers_of("thread", all, [](const L& row) { return row.what.thread; }));
  frame.columns.push_back(numbers_of("rank", all, [](const L& row) { return int64_t{row.what.rank}; }, Kind::kI64));
  frame.columns.push_back(texts_of("host", all, [](const L& row) { return std::string_view(row.what.host); }));
  frame.columns.push_back(numbers_of("pid", all, [](const L& row) { return row.what.process_id; }));
  frame.columns.push_back(texts_of("command", all, [](const L& row) { return std::string_view(row.what.command); }));
  frame.columns.push_back(texts_of("thread_name", all, [](const L& row) { return std::string_view(row.what.name); }));
  frame.columns.push_back(numbers_of("events", all, [](const L& row) { return row.events; }));
  frame.columns.push_back(numbers_of("lost", all, [](const L& row) { return row.what.lost; }));
  frame.columns.push_back(numbers_of("missing", all, [](const L& row) { return row.missing; }));
  frame.columns.push_back(numbers_of("lost_chunks", all, [](const L& row) { return row.lost_chunks; }));
  frame.columns.push_back(numbers_of("chunks", all, [](const L& row) { return row.chunks.size(); }));
  frame.columns.push_back(numbers_of("bytes", all, [](const L& row) { return row.bytes; }));
  frame.columns.push_back(numbers_of("begin_at_ns", all, [](const L& row) { return row.begin_at_ns; }));
  frame.columns.push_back(numbers_of("end_at_ns", all, [](const L& row) { return row.end_at_ns; }));
  frame.columns.push_back(numbers_of("described", all, [](const L& row) { return row.described; }));
  return frame;
}

Frame span_frame(const TraceReader& trace, const events::TraceStats& stats) {
  struct Row {
    const Reference* what;
    const events::SpanFigures* figures;
  };
  std::vector<Row> all;
  for (size_t i = 0; i < stats.spans.size(); ++i)
    if (stats.spans[i].calls + stats.spans[i].unfinished > 0) all.push_back({&trace.references()[i], &stats.spans[i]});
  Frame frame{.name = "spans", .rows = all.size()};
  frame.columns.push_back(texts_of("kind", all, [](const Row& row) { return std::string_view(row.what->kind); }));
  frame.columns.push_back(texts_of("layer", all, [](const Row& row) { return std::string_view(row.what->layer); }));
  frame.columns.push_back(texts_of("name", all, [](const Row& row) { return std::string_view(row.what->name); }));
  frame.columns.push_back(texts_of("class", all, [](const Row& row) { return model::name_of(row.what->time_class); }));
  frame.columns.push_back(numbers_of("calls", all, [](const Row& row) { return row.figures->calls; }));
  frame.columns.push_back(numbers_of("unfinished", all, [](const Row& row) { return row.figures->unfinished; }));
  frame.columns.push_back(numbers_of("errors", all, [](const Row& row) { return row.figures->errors; }));
  frame.columns.push_back(numbers_of("bytes", all, [](const Row& row) { return row.figures->bytes; }));
  frame.columns.push_back(numbers_of("time_ns", all, [](const Row& row) { return row.figures->time_ns; }));
  frame.columns.push_back(numbers_of("own_ns", all, [](const Row& row) { return row.figures->own_ns; }));
  frame.columns.push_back(numbers_of("longest_ns", all, [](const Row& row) { return row.figures->longest_ns; }));
  return frame;
}

Frame file_frame(const std::vector<events::FileTotals>& totals) {
  using F = events::FileTotals;
  Frame frame{.name = "file_totals", .rows = totals.size()};
  frame.columns.push_back(numbers_of("process", totals, [](const F& row) { return row.process; }));
  frame.columns.push_back(texts_of("path", totals, [](const F& row) { return std::string_view(row.path); }));
  frame.columns.push_back(numbers_of("bytes_read", totals, [](const F& row) { return row.bytes_read; }));
  frame.columns.push_back(numbers_of("bytes_written", totals, [](const F& row) { return row.bytes_written; }));
  return frame;
}

Frame file_call_frame(const events::TraceStats& stats) {
  using F = events::FileFigures;
  const auto& all = stats.files;
  Frame frame{.name = "files", .rows = all.size()};
  frame.columns.push_back(texts_of("path", all, [](const F& row) { return std::string_view(row.path); }));
  frame.columns.push_back(texts_of("layer", all, [](const F& row) { return std::string_view(row.layer); }));
  frame.columns.push_back(numbers_of("calls", all, [](const F& row) { return row.calls; }));
  frame.columns.push_back(numbers_of("unfinished", all, [](const F& row) { return row.unfinished; }));
  frame.columns.push_back(numbers_of("errors", all, [](const F& row) { return row.errors; }));
  frame.columns.push_back(numbers_of("bytes_read", all, [](const F& row) { return row.bytes_read; }));
  frame.columns.push_back(numbers_of("bytes_written", all, [](const F& row) { return row.bytes_written; }));
  frame.columns.push_back(numbers_of("time_ns", all, [](const F& row) { return row.time_ns; }));
  frame.columns.push_back(numbers_of("longest_ns", all, [](const F& row) { return row.longest_ns; }));
  return frame;
}

Frame overview_frame(events::Overview& seen) {
  Frame frame{.name = "overview", .rows = seen.planes[0].size()};
  for (uint32_t plane = 0; plane < events::kPlanes; ++plane) {
    const std::string name = plane == events::kReadPlane      ? "bytes_read"
                             : plane == events::kWrittenPlane ? "bytes_written"
                                                              : std::string(model::kTimeClassNames[plane]);
    frame.columns.push_back(number_values(name, std::move(seen.planes[plane])));
  }
  return frame;
}

Frame message_frame(const TraceReader& trace, const std::vector<events::MessagePair>& pairs) {
  using P = events::MessagePair;
  const auto place = [](uint32_t location) { return location == P::kNoLocation ? P::kNever : uint64_t{location}; };
  Frame frame{.name = "messages", .rows = pairs.size()};
  frame.columns.push_back(numbers_of("sent_at_ns", pairs, [](const P& row) { return row.sent_at_ns; }));
  frame.columns.push_back(numbers_of("received_at_ns", pairs, [](const P& row) { return row.received_at_ns; }));
  frame.columns.push_back(numbers_of("from_location", pairs, [&](const P& row) { return place(row.from_location); }));
  frame.columns.push_back(numbers_of("to_location", pairs, [&](const P& row) { return place(row.to_location); }));
  frame.columns.push_back(numbers_of("from_rank", pairs, [](const P& row) { return row.from; }));
  frame.columns.push_back(numbers_of("to_rank", pairs, [](const P& row) { return row.to; }));
  frame.columns.push_back(texts_of("communicator", pairs, [&](const P& row) -> std::string_view {
    return trace.references()[row.communicator].name;
  }));
  frame.columns.push_back(numbers_of("tag", pairs, [](const P& row) { return row.tag; }));
  frame.columns.push_back(numbers_of("bytes_sent", pairs, [](const P& row) { return row.sent; }));
  frame.columns.push_back(numbers_of("bytes_received", pairs, [](const P& row) { return row.received; }));
  return frame;
}

Frame rank_pair_frame(const events::MessageSums& sums) {
  using P = events::RankPair;
  Frame frame{.name = "pairs", .rows = sums.pairs.size()};
  const auto add = [&](const char* name, auto of) { frame.columns.push_back(numbers_of(name, sums.pairs, of)); };
  add("from", [](const P& row) { return row.from; });
  add("to", [](const P& row) { return row.to; });
  add("messages", [](const P& row) { return row.messages; });
  add("bytes", [](const P& row) { return row.bytes; });
  add("not_received", [](const P& row) { return row.not_received; });
  add("not_sent", [](const P& row) { return row.not_sent; });
  add("late", [](const P& row) { return row.late; });
  add("waited_ns", [](const P& row) { return row.waited_ns; });
  add("longest_ns", [](const P& row) { return row.longest_ns; });
  return frame;
}

Frame collective_frame(const TraceReader& trace, const events::CollectiveWaits& waits) {
  using S = events::CollectiveSums;
  Frame frame{.name = "collectives", .rows = waits.functions.size()};
  const auto name = [&](const S& row) -> std::string_view { return trace.references()[row.function].name; };
  frame.columns.push_back(texts_of("name", waits.functions, name));
  frame.columns.push_back(numbers_of("operations", waits.functions, [](const S& row) { return row.operations; }));
  frame.columns.push_back(numbers_of("waited_ns", waits.functions, [](const S& row) { return row.waited_ns; }));
  frame.columns.push_back(numbers_of("longest_ns", waits.functions, [](const S& row) { return row.longest_ns; }));
  return frame;
}

Frame rank_wait_frame(const events::CollectiveWaits& waits) {
  using R = events::RankWaits;
  Frame frame{.name = "ranks", .rows = waits.ranks.size()};
  frame.columns.push_back(numbers_of("rank", waits.ranks, [](const R& row) { return row.rank; }));
  frame.columns.push_back(numbers_of("waited_ns", waits.ranks, [](const R& row) { return row.waited_ns; }));
  frame.columns.push_back(numbers_of("times_late", waits.ranks, [](const R& row) { return row.times_late; }));
  frame.columns.push_back(numbers_of("waited_for_ns", waits.ranks, [](const R& row) { return row.waited_for_ns; }));
  return frame;
}

Frame row_frame(const TraceReader& trace, events::TraceRows& rows, uint64_t most) {
  std::vector<Line> all;
  while (all.size() < most) {
    const TraceRow* row = take(rows.next());
    if (row == nullptr) break;
    all.push_back({rows.location(), *row});
  }
  const auto reference = [&](const Line& line) -> const Reference& {
    return trace.references()[line.row.event.reference()];
  };
  const auto path = [&](const Line& line) -> std::string_view {
    if (!is_io(line.row)) return {};
    return trace.handle(trace.locations()[line.location].what.process, line.row.event.other);
  };
  Frame frame{.name = "rows", .rows = all.size()};
  frame.columns.push_back(numbers_of("time_ns", all, [](const Line& line) { return line.row.event.time; }));
  frame.columns.push_back(numbers_of("location", all, [](const Line& line) { return line.location; }));
  frame.columns.push_back(texts_of("kind", all, [](const Line& line) { return kind_of(line.row); }));
  frame.columns.push_back(texts_of("layer", all, [&](const Line& l) { return std::string_view(reference(l).layer); }));
  frame.columns.push_back(texts_of("name", all, [&](const Line& l) { return std::string_view(reference(l).name); }));
  frame.columns.push_back(numbers_of("reference", all, [&](const Line& line) { return reference(line).id; }));
  frame.columns.push_back(texts_of("path", all, path));
  frame.columns.push_back(numbers_of("other", all, [](const Line& line) { return line.row.event.other; }));
  frame.columns.push_back(numbers_of("size", all, [](const Line& line) { return line.row.event.size; }));
  frame.columns.push_back(numbers_of("size_as_f64", all, [](const Line& l) { return l.row.event.size; }, Kind::kF64));
  frame.columns.push_back(numbers_of("place", all, [](const Line& line) { return line.row.event.place; }));
  frame.columns.push_back(numbers_of("moved", all, [](const Line& line) { return bytes_of(line.row); }));
  frame.columns.push_back(numbers_of("error", all, [](const Line& line) { return error_of(line.row); }));
  frame.columns.push_back(numbers_of("duration_ns", all, [](const Line& line) { return line.row.duration_ns; }));
  return frame;
}

}  // namespace headrace::bindings
