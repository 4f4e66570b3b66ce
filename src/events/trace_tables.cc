#include "events/trace_tables.h"

#include <string_view>

#include "model/event_names.h"

namespace headrace::events {

using base::Status;
using format::TableBuilder;

namespace {

/// One column of a table, picked from its rows.
template <typename To, typename Row, typename Pick>
std::vector<To> column(std::span<const Row> rows, Pick pick) {
  std::vector<To> values;
  values.reserve(rows.size());
  for (const Row& row : rows) values.push_back(static_cast<To>(pick(row)));
  return values;
}

}  // namespace

Status write_locations(format::Writer& writer, std::span<const Location> rows, std::span<const uint64_t> events) {
  const auto process = column<uint64_t>(rows, [](const Location& row) { return row.process; });
  const auto thread = column<uint64_t>(rows, [](const Location& row) { return row.thread; });
  const auto rank = column<int64_t>(rows, [](const Location& row) { return row.rank; });
  const auto host = column<std::string_view>(rows, [](const Location& row) { return std::string_view(row.host); });
  const auto pid = column<uint64_t>(rows, [](const Location& row) { return row.process_id; });
  const auto lost = column<uint64_t>(rows, [](const Location& row) { return row.lost; });
  const auto command =
      column<std::string_view>(rows, [](const Location& row) { return std::string_view(row.command); });
  const auto name = column<std::string_view>(rows, [](const Location& row) { return std::string_view(row.name); });
  return writer.add(TableBuilder("locations")
                        .u64("process", process)
                        .u64("thread", thread)
                        .i64("rank", rank)
                        .text("host", host)
                        .u64("pid", pid)
                        .u64("events", events)
                        .u64("lost", lost)
                        .text("command", command)
                        .text("name", name));
}

Status write_references(format::Writer& writer, std::span<const Reference> rows) {
  const auto id = column<uint64_t>(rows, [](const Reference& row) { return row.id; });
  const auto kind = column<std::string_view>(rows, [](const Reference& row) { return std::string_view(row.kind); });
  const auto layer = column<std::string_view>(rows, [](const Reference& row) { return std::string_view(row.layer); });
  const auto name = column<std::string_view>(rows, [](const Reference& row) { return std::string_view(row.name); });
  const auto time_class = column<std::string_view>(rows, [](const Reference& row) { return name_of(row.time_class); });
  return writer.add(TableBuilder("references")
                        .u64("id", id)
                        .text("kind", kind)
                        .text("layer", layer)
                        .text("name", name)
                        .text("class", time_class));
}

Status write_handles(format::Writer& writer, std::span<const Handle> rows) {
  const auto process = column<uint64_t>(rows, [](const Handle& row) { return row.process; });
  const auto handle = column<uint64_t>(rows, [](const Handle& row) { return row.handle; });
  const auto name = column<std::string_view>(rows, [](const Handle& row) { return std::string_view(row.name); });
  return writer.add(TableBuilder("handles").u64("process", process).u64("handle", handle).text("name", name));
}

Status write_accounts(format::Writer& writer, std::span<const Account> rows) {
  const auto process = column<uint64_t>(rows, [](const Account& row) { return row.process; });
  const auto thread = column<uint64_t>(rows, [](const Account& row) { return row.thread; });
  const auto what = column<std::string_view>(rows, [](const Account& row) { return std::string_view(row.what); });
  const auto count = column<uint64_t>(rows, [](const Account& row) { return row.count; });
  return writer.add(
      TableBuilder("accounts").u64("process", process).u64("thread", thread).text("what", what).u64("count", count));
}

Status write_clocks(format::Writer& writer, std::span<const ClockRow> rows) {
  const auto process = column<uint64_t>(rows, [](const ClockRow& row) { return row.process; });
  const auto node = column<uint64_t>(rows, [](const ClockRow& row) { return row.node; });
  const auto when = column<std::string_view>(rows, [](const ClockRow& row) { return std::string_view(row.when); });
  const auto at = column<int64_t>(rows, [](const ClockRow& row) { return row.at_ns; });
  const auto clock = column<uint64_t>(rows, [](const ClockRow& row) { return row.clock_ns; });
  const auto utc = column<uint64_t>(rows, [](const ClockRow& row) { return row.utc_ns; });
  const auto asleep = column<uint64_t>(rows, [](const ClockRow& row) { return row.asleep_ns; });
  const auto reference = column<uint64_t>(rows, [](const ClockRow& row) { return row.reference; });
  const auto offset = column<int64_t>(rows, [](const ClockRow& row) { return row.offset_ns; });
  const auto error = column<uint64_t>(rows, [](const ClockRow& row) { return row.error_ns; });
  return writer.add(TableBuilder("clocks")
                        .u64("process", process)
                        .u64("node", node)
                        .text("when", when)
                        .i64("at_ns", at)
                        .u64("clock_ns", clock)
                        .u64("utc_ns", utc)
                        .u64("asleep_ns", asleep)
                        .u64("reference", reference)
                        .i64("offset_ns", offset)
                        .u64("error_ns", error));
}

}  // namespace headrace::events
