// Reads what a dead process recorded event by event (event_layout.h). Trusts nothing in it.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "capture/event_layout.h"
#include "capture/harvest/clock_map.h"
#include "events/trace_writer.h"

namespace headrace::capture {

struct RecordedEvents {
  std::map<uint32_t, std::vector<RawEvent>> threads;  // by ThreadBlock::id, each in the order of ends
  std::map<uint32_t, std::string> names;              // of handles
  struct Region {
    RegionKind kind = RegionKind::kRegion;
    std::string name;
  };
  std::map<uint32_t, Region> regions;  // and counters
  uint64_t lost = 0;                   // for want of room
  uint64_t missed_messages = 0;        // without an event, though their other end may have one
  uint64_t foreign_messages = 0;       // with ranks of another MPI_COMM_WORLD, which have none
  bool damaged = false;                // something behind could not be read

  uint64_t events() const {
    uint64_t sum = 0;
    for (const auto& [thread, each] : threads) sum += each.size();
    return sum;
  }
};

/// What is in these bytes; nothing where they are no such file.
RecordedEvents read_events(std::span<const std::byte> bytes);

/// The events of one thread as traces have them, and what their references stand for. Times are ns since the job's
/// start; those that are out of order, as of calls inside of others, are put in order.
struct ThreadTrace {
  std::vector<model::Event> events;
  std::vector<events::Reference> references;
};
ThreadTrace trace_of(const RecordedEvents& recorded, std::span<const RawEvent> events, const ClockMap& clock);

}  // namespace headrace::capture
