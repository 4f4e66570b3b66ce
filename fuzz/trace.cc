// libFuzzer target: a whole trace, through everything that reads traces. See README.md.

#include <numeric>

#include "check_table.h"
#include "events/message_pairs.h"
#include "events/mpi_threads.h"
#include "events/overview.h"
#include "events/trace_check.h"
#include "events/trace_rows.h"
#include "events/trace_stats.h"
#include "heal.h"

using namespace headrace;
using namespace headrace::events;
using namespace headrace::fuzz;

namespace {

/// What all events say: how many there are, and that each has a place in the lists.
uint64_t go_through(TraceReader& trace) {
  uint64_t events = 0;
  for (const TraceLocation& location : trace.locations()) {
    EventCursor cursor(trace, location);
    uint64_t of_location = 0;
    for (auto more = cursor.next(); more.ok() && *more; more = cursor.next()) {
      for (const model::Event& event : cursor.events()) require(event.reference() < trace.references().size());
      for (const uint32_t open : cursor.open()) require(open < trace.references().size());
      of_location += cursor.events().size();
    }
    require(of_location <= location.events);
    cursor.seek(location.end_at_ns);
    require(cursor.next().ok());
    events += of_location;
  }
  return events;
}

void look_from_afar(TraceReader& trace, uint64_t begin_at_ns, uint32_t columns, uint64_t most_decoded) {
  const auto seen = overview(trace, {.begin_at_ns = begin_at_ns,
                                     .end_at_ns = begin_at_ns == 0 ? 0 : ~uint64_t{0},
                                     .columns = columns,
                                     .rows = 3,
                                     .most_decoded = most_decoded,
                                     .threads = 1});
  if (!seen.ok()) return;
  require(seen->decoded_chunks + seen->unread_chunks <= seen->chunks);
  for (const auto& plane : seen->planes) require(plane.size() == size_t{seen->columns} * seen->rows);
}

/// Times of one clock stay in their order on another.
void look_at_clocks(TraceReader& trace) {
  for (const NodeClock& node : trace.clocks().nodes()) require(node.processes > 0 || node.measured.empty());
  for (const TraceLocation& location : trace.locations()) {
    const ClockLine* line = trace.line_of(location.what.process);
    uint64_t latest = 0;
    for (uint64_t at = 1; line != nullptr && at != 0; at <<= 1) {
      require(latest <= line->at(at - 1) && line->at(at - 1) <= line->at(at));
      latest = line->at(at);
    }
  }
  trace.align(false);
  (void)messages_before_sent(trace);
  trace.align(true);
}

void read_rows(TraceReader& trace, uint64_t events) {
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < trace.locations().size(); ++i) all.push_back(i);
  TraceRows rows(trace, all, {});
  uint64_t count = 0;
  for (auto row = rows.next(); row.ok() && *row != nullptr; row = rows.next()) {
    require(rows.location() < all.size());
    count++;
  }
  require(count <= events);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  std::vector<uint8_t> file(data + 2, data + size);
  if (data[0] % 2 == 1) heal_checksums(file);
  auto trace = TraceReader::open_memory(file);
  if (!trace.ok()) {
    require(!trace.message().empty());
    return 0;
  }
  look_from_afar(*trace, 0, 1 + data[1] % 64, 0);
  const uint64_t events = go_through(*trace);
  look_from_afar(*trace, data[1], 500, ~uint64_t{0});
  const auto stats = add_up(*trace);
  require(stats.ok() && stats->events == events);
  std::vector<uint32_t> all(trace->locations().size());
  std::iota(all.begin(), all.end(), 0);
  const auto part = add_up(*trace, all, {data[1], data[1] + (uint64_t{1} << data[0] % 64)});
  require(part.ok() && part->events <= events);
  require(threads_of_mpi(*trace, all).ok());
  const auto checks = check(*trace);
  require(checks.ok() && checks->events == events);
  require(pair_messages(*trace).ok());
  read_rows(*trace, events);
  look_at_clocks(*trace);
  require(trace->verify().ok());
  return 0;
}
