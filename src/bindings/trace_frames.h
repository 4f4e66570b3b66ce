#pragma once
// Parts of a trace as frames. Pure functions.

#include "bindings/frame.h"
#include "events/collective_waits.h"
#include "events/file_totals.h"
#include "events/message_pairs.h"
#include "events/message_sums.h"
#include "events/overview.h"
#include "events/trace_rows.h"
#include "events/trace_stats.h"

namespace headrace::bindings {

/// One row a location, in its order: process, thread, rank, host, pid, command, thread_name, events, lost, missing,
/// lost_chunks, chunks, bytes, begin_at_ns, end_at_ns, described.
Frame location_frame(const events::TraceReader& trace);

/// One row a function or region that was called: kind, layer, name, class, calls, unfinished, errors, bytes, time_ns,
/// longest_ns.
Frame span_frame(const events::TraceReader& trace, const events::TraceStats& stats);

/// One row each: process, path, bytes_read, bytes_written.
Frame file_frame(const std::vector<events::FileTotals>& totals);

/// One row a path and layer: path, layer, calls, unfinished, errors, bytes_read, bytes_written, time_ns, longest_ns.
Frame file_call_frame(const events::TraceStats& stats);

/// One row a cell, row after row: ns by class of time, bytes_read, bytes_written. Takes the picture's planes.
Frame overview_frame(events::Overview& seen);

/// One row a message, by time: sent_at_ns, received_at_ns, from_location, to_location, from_rank, to_rank,
/// communicator, tag, bytes_sent, bytes_received. Ends that are not there have times and locations of 2^64 - 1.
Frame message_frame(const events::TraceReader& trace, const std::vector<events::MessagePair>& pairs);

/// One row a pair of ranks: from, to, messages, bytes, not_received, not_sent, late, waited_ns, longest_ns.
Frame rank_pair_frame(const events::MessageSums& sums);

/// One row a function: name, operations, waited_ns, longest_ns.
Frame collective_frame(const events::TraceReader& trace, const events::CollectiveWaits& waits);

/// One row a rank: rank, waited_ns, times_late, waited_for_ns.
Frame rank_wait_frame(const events::CollectiveWaits& waits);

/// The next rows, at most `most`; none at the end. Throws Failure.
Frame row_frame(const events::TraceReader& trace, events::TraceRows& rows, uint64_t most);

}  // namespace headrace::bindings
