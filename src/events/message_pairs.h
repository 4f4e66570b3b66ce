#pragma once
// The messages of a trace, each with when it was sent and received.

#include <cstdint>
#include <vector>

#include "events/event_cursor.h"

namespace headrace::events {

struct MessagePair {
  static constexpr uint64_t kNever = ~uint64_t{0};
  static constexpr uint32_t kNoLocation = ~uint32_t{0};

  uint64_t sent_at_ns = kNever, received_at_ns = kNever;
  uint64_t waits_since_ns = kNever;  // the begin of the call that received it; kNever: not known
  uint32_t from_location = kNoLocation, to_location = kNoLocation;  // in TraceReader::locations()
  uint32_t from = 0, to = 0;                                        // ranks
  uint32_t communicator = 0;                                        // in TraceReader::references()
  uint64_t tag = 0;
  uint64_t sent = 0, received = 0;  // bytes; 0 where it was not seen
};

/// Of communicator, ranks and tag the n-th that was received is taken for the n-th that was sent, as MPI keeps their
/// order. One whose other end is not in the trace has only its own. Those sent or received in the range, by the time of
/// their first end. Decodes all events; takes 150 bytes a message. Messages of processes without a rank are left out.
/// kIo.
base::Result<std::vector<MessagePair>> pair_messages(TraceReader& trace, TimeRange range = {});

}  // namespace headrace::events
