#pragma once
// How long ranks waited in collective operations for those that came later.

#include <cstdint>
#include <vector>

#include "events/event_cursor.h"

namespace headrace::events {

struct CollectiveSums {
  uint32_t function = 0;    // in TraceReader::references()
  uint64_t operations = 0;  // of all their ranks together each
  uint64_t waited_ns = 0, longest_ns = 0;
};

struct RankWaits {
  uint32_t rank = 0;
  uint64_t waited_ns = 0;
  uint64_t times_late = 0;     // operations in which others waited for it
  uint64_t waited_for_ns = 0;  // by others, for it
};

struct CollectiveWaits {
  std::vector<CollectiveSums> functions;  // by waited_ns, most first
  std::vector<RankWaits> ranks;           // by rank
  uint64_t incomplete = 0;                // operations of which not all ranks are there
  /// Operations that a rank left before one that it had to wait for came: clocks differ, or it is not the same one.
  uint64_t out_of_step = 0;
};

/// The n-th operation of a rank over a communicator is taken for the n-th of the others. A rank waits from its begin to
/// when the last one comes: in MPI_Bcast and MPI_Scatter(v) the root, for which the others wait; in MPI_Reduce and
/// MPI_Gather(v) the root alone waits. Nonblocking and neighbours' operations, scans and those over MPI_COMM_SELF count
/// for nothing, and so does what is incomplete or out of step. Operations whose last rank came in the range. Decodes
/// all events; takes 40 bytes an operation and rank. kIo.
base::Result<CollectiveWaits> collective_waits(TraceReader& trace, TimeRange range = {});

}  // namespace headrace::events
