// Reads what a dead process recorded event by event (event_layout.h). Trusts nothing in it.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capture/event_layout.h"
#include "capture/flush_layout.h"
#include "capture/harvest/clock_map.h"
#include "capture/harvest/event_bytes.h"
#include "events/meanings.h"

namespace headrace::capture {

/// Where the events of a thread are, in the order of their ends.
struct RecordedThread {
  struct Extent {
    uint64_t offset, count, base;  // of PackedEvents
  };
  std::vector<Extent> extents;   // of the file
  std::vector<RawEvent> behind;  // that are not in the file
  uint64_t count = 0;            // of both; a whole event counts as two
};

struct RecordedEvents {
  EventBytes bytes;                              // of the file: events are read when they are asked for
  std::map<uint32_t, RecordedThread> threads;    // by EventBlock::thread
  std::map<uint32_t, std::string> names;         // of handles
  std::map<uint32_t, std::string> thread_names;  // of threads that have one of their own
  struct Region {
    RegionKind kind = RegionKind::kRegion;
    std::string name;
  };
  std::map<uint32_t, Region> regions;                    // and counters
  std::map<uint32_t, std::vector<OpenCall>> open;        // calls that had begun when a flush was asked for
  std::map<uint32_t, std::vector<RawEvent>> unfinished;  // calls that threads never came back from; `end` says nothing
  std::vector<std::pair<std::string, std::string>> unfinished_facts;  // what the trace says of them
  std::string filter;                                                 // what was left out by wish
  uint8_t tick_shift = 0;                                             // the trace is to have such ticks
  uint64_t generation = 0;                                            // flushes before
  uint32_t last_name = 0;                                             // that the process gave a number
  uint64_t lost = 0;                                                  // for want of room
  uint64_t stopped_at = 0;                      // when recording stopped for good, ticks; 0: it did not
  uint32_t stopped_by = 0;                      // the thread
  std::string why = {};                         // it stopped
  uint64_t most_bytes = 0;                      // that the trace of the job is to have; 0: any number
  uint64_t beyond = 0;                          // calls and the like that had no room in these
  std::string flushes_alone;                    // why, though it was to flush together with other ranks
  uint64_t missed_messages = 0;                 // without an event, though their other end may have one
  uint64_t foreign_messages = 0;                // with ranks of another MPI_COMM_WORLD, which have none
  uint64_t node = 0;                            // whose clock it has; 0: not known
  ClockMeasurement clocks[kClockMoments] = {};  // that it made for its node
  bool damaged = false;                         // something behind could not be read
  uint64_t unreadable = 0;                      // events that were there before the file became shorter

  uint64_t events() const {
    uint64_t sum = 0;
    for (const auto& [thread, each] : threads) sum += each.count;
    return sum;
  }
};

/// Longer than any path, name of a region or list of what was left out that a recorder writes.
inline constexpr uint32_t kLongestText = 64 << 10;

/// What is in such a file; nothing where these are no such bytes.
RecordedEvents read_events(const EventBytes& bytes);

/// Turns events that were recorded into those of a trace, and tells what their references stand for. One thread at a
/// time; `recorded`, `clock` and `meanings` outlive it.
class EventConverter {
 public:
  EventConverter(const RecordedEvents& recorded, const ClockMap& clock, events::Meanings& meanings);
  ~EventConverter();

  /// Appends to `to`, which may hold millions: it makes no room but as a vector does. Times are ns since the job's
  /// start. What lasted has its begin and its end there, one behind the other.
  void convert(std::span<const RawEvent> raw, std::vector<model::Event>& to);
  /// The begin of a call that is not over.
  void begin(const OpenCall& call, std::vector<model::Event>& to);
  /// The same of any call, on the file that its handle names.
  void begin(const RawEvent& call, std::vector<model::Event>& to);

 private:
  class References;
  void add(const RawEvent& raw, std::vector<model::Event>& to);
  void add_message(const RawEvent& raw, std::vector<model::Event>& to);
  void add_library(const RawEvent& raw, std::vector<model::Event>& to);
  void add_operation(const RawEvent& raw, std::vector<model::Event>& to);
  void add_operation(uint32_t function, const RawEvent& raw, std::vector<model::Event>& to);
  void add_region(uint32_t region, const RawEvent& raw, std::vector<model::Event>& to);

  const ClockMap& clock_;
  std::unique_ptr<References> references_;
};

}  // namespace headrace::capture
