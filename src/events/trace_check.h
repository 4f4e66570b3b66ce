#pragma once
// Whether the events of a trace agree with each other.

#include <span>
#include <vector>

#include "events/messages.h"
#include "events/trace_reader.h"

namespace headrace::events {

struct TraceChecks {
  uint64_t events = 0;  // that could be read
  // Ends of what was not the innermost open region or operation. Where events of a location are missing this may be
  // so; those are counted apart.
  uint64_t unbalanced = 0, unbalanced_where_lost = 0;
  uint64_t unfinished = 0;        // open at the end: of a process that was killed, or that traced until it ended
  uint64_t backward = 0;          // events before the one that stands in front of them
  uint64_t nameless = 0;          // events whose reference no table explains
  uint64_t handleless = 0;        // operations on a handle that no table names
  uint64_t of_no_rank = 0;        // messages of locations that have no rank, which cannot be matched
  uint64_t missed_messages = 0;   // that are in no event, though their other end may be: by facts of the trace
  uint64_t foreign_messages = 0;  // with ranks of another MPI_COMM_WORLD, which are in none
  MessageFigures messages;
  std::vector<uint32_t> unfinalized;   // ranks that are not known to have come through MPI_Finalize
  bool knows_finalize = false;         // some are: so the trace, or the caller, tells of whom it is not so
  uint64_t before_sent_unaligned = 0;  // messages that would arrive before they were sent by each node's calendar clock
  std::vector<uint32_t> unbalanced_at, backward_at;  // the first of the locations, in TraceReader::locations()
};

inline constexpr size_t kToldLocations = 8;

/// How many messages arrive before they are sent, at least, by the times that the reader gives. Decodes everything.
/// kIo.
base::Result<uint64_t> messages_before_sent(TraceReader& trace);

/// Decodes everything; where clocks are aligned, twice. `finalized`: ranks that the caller knows to have come through
/// MPI_Finalize, besides those of which the trace has it. kIo.
base::Result<TraceChecks> check(TraceReader& trace, std::span<const uint32_t> finalized = {});

}  // namespace headrace::events
