#pragma once
// Numbers messages, so that arrows find both ends. Internal to perfetto.

#include <unordered_map>
#include <vector>

#include "events/trace_reader.h"

namespace headrace::convert::perfetto {

struct Channel {
  uint64_t id;  // of communicator, ranks and tag
  bool sent;    // from this rank, else received
};

/// Ids of messages, the same where they are sent and where they are received: the n-th, by time, of those with the same
/// ranks, communicator and tag. A rank with several threads is read once more for that, and takes some 50 bytes a
/// message.
class Flows {
 public:
  /// `wanted`: all messages are there. The trace outlives it.
  Flows(events::TraceReader& trace, bool wanted) : trace_(&trace), wanted_(wanted) {}

  /// Of this location are the next events. Locations come as TraceReader has them: rank by rank. kIo.
  base::Status begin(uint32_t location);

  /// Of the location's next message. 0: nobody knows.
  uint64_t of(const model::Event& event);

 private:
  base::Status number_all(uint32_t first, uint32_t behind);
  uint64_t next(const Channel& channel);

  events::TraceReader* trace_;
  bool wanted_;
  int64_t rank_ = -1;
  uint32_t location_ = 0;
  std::unordered_map<uint64_t, uint64_t> channels_;               // messages so far, of this rank, by channel and way
  std::unordered_map<uint32_t, std::vector<uint64_t>> numbered_;  // by location, where the rank has several
  const std::vector<uint64_t>* ids_ = nullptr;                    // of the location; null: it is the only one
  size_t at_ = 0;                                                 // in ids_
};

}  // namespace headrace::convert::perfetto
