// How far the clocks of a parallel program's nodes are apart, as NTP finds it out: one rank of each node asks rank 0
// what time it is, several times; the answer of the shortest round trip counts, as it leaves the least room for error.
//
// Method: D. L. Mills, RFC 5905, section 8 (offset and delay of a packet exchange).
#pragma once
#include <cstdint>
#include <functional>

#include "base/communicator.h"
#include "capture/clock_layout.h"

namespace headrace::capture {

struct NodeOffset {
  bool measured = false;   // by this rank: it is the first of its node, on one of several nodes
  int64_t offset_ns = 0;   // what to add to this node's clock for that of rank 0's node
  uint64_t error_ns = 0;   // at most; 0 on rank 0's node
  uint64_t reference = 0;  // what rank 0 gave
  // When the offset held: clocks drift, and on a busy machine the other round trips take long beside the shortest.
  ClockReading at = {0, 0};
};

/// `node`: equal at the ranks that share a clock; `reference`: of rank 0 it counts. All ranks must call it. Ranks that
/// measure nothing wait only until all know that; the nodes come one after the other. kIo: a rank did not come.
base::Result<NodeOffset> measure_node_clock(base::Communicator& ranks, uint64_t node, uint64_t reference,
                                            const std::function<ClockReading()>& clock);

}  // namespace headrace::capture
