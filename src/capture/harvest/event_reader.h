// Reads what a dead process recorded event by event (event_layout.h). Trusts nothing in it.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "capture/event_layout.h"
#include "capture/flush_layout.h"
#include "capture/harvest/clock_map.h"
#include "events/trace_writer.h"

namespace headrace::capture {

struct RecordedEvents {
  std::map<uint32_t, std::vector<RawEvent>> threads;  // by EventBlock::thread, each in the order of ends
  std::map<uint32_t, std::string> names;              // of handles
  struct Region {
    RegionKind kind = RegionKind::kRegion;
    std::string name;
  };
  std::map<uint32_t, Region> regions;              // and counters
  std::map<uint32_t, std::vector<OpenCall>> open;  // calls that had begun when a flush was asked for
  std::string filter;                              // what was left out by wish
  uint8_t tick_shift = 0;                          // the trace is to have such ticks
  uint64_t generation = 0;                         // flushes before
  uint64_t lost = 0;                               // for want of room
  uint64_t stopped_at = 0;                         // when recording stopped for good, ticks; 0: it did not
  uint32_t stopped_by = 0;                         // the thread
  std::string why = {};                            // it stopped
  std::string flushes_alone;                       // why, though it was to flush together with other ranks
  uint64_t missed_messages = 0;                    // without an event, though their other end may have one
  uint64_t foreign_messages = 0;                   // with ranks of another MPI_COMM_WORLD, which have none
  uint64_t node = 0;                               // whose clock it has; 0: not known
  ClockMeasurement clocks[kClockMoments] = {};     // that it made for its node
  bool damaged = false;                            // something behind could not be read

  uint64_t events() const {
    uint64_t sum = 0;
    for (const auto& [thread, each] : threads) sum += each.size();
    return sum;
  }
};

/// What is in these bytes; nothing where they are no such file.
RecordedEvents read_events(std::span<const std::byte> bytes);

/// The bytes of such a file that are in use, by its first ones; `size` if that cannot be told.
uint64_t used_event_bytes(std::span<const std::byte> first, uint64_t size);

/// The events of one thread as traces have them, and what their references stand for. Times are ns since the job's
/// start; those that are out of order, as of calls inside of others, are put in order.
/// `open`: calls whose begin is to be among them. Nothing is put before `earliest`, which is in the trace already; how
/// many would have been is counted.
struct ThreadTrace {
  std::vector<model::Event> events;
  std::vector<events::Reference> references;
  uint64_t moved = 0;
};
ThreadTrace trace_of(const RecordedEvents& recorded, std::span<const RawEvent> events, const ClockMap& clock,
                     std::span<const OpenCall> open = {}, uint64_t earliest = 0);

}  // namespace headrace::capture
