#pragma once
// The clocks of a trace's nodes, and how times of one are put on the clock of another: by the table `clocks`
// (docs/formats/trace.md), of which nothing is believed that no clock does.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "events/clock_line.h"
#include "events/trace_writer.h"

namespace headrace::events {

/// What was found out about the clock of a node. Times are ns.
struct NodeClock {
  struct Measurement {
    std::string when;
    uint64_t at_ns = 0;    // since the job's start, by the reference
    int64_t added_ns = 0;  // to times of the node
    uint64_t error_ns = 0;
  };
  uint64_t node = 0;
  uint64_t process = 0;  // the first one there
  uint64_t processes = 0;
  bool is_reference = false;               // whose clock counts
  std::vector<Measurement> measured = {};  // that are used; none: its times stay as its calendar clock has them
  double drift = 0;                        // seconds a second, between the first and the last
  int64_t jumped_ns = 0;                   // the clock did so between two measurements, of which only the first is used
  uint64_t suspended_ns = 0;               // the machine was, while its processes ran
  int64_t calendar_step_ns = 0;            // its calendar clock was set by so much meanwhile; no time depends on that
  int64_t stray_ns = 0;  // by which the counter that processes read the time from was off when it was measured
};

class Clocks {
 public:
  Clocks() = default;
  explicit Clocks(const std::vector<ClockRow>& rows);

  /// Null: times of the process stay as they are.
  const ClockLine* of(uint64_t process) const {
    const auto found = lines_.find(process);
    return found == lines_.end() ? nullptr : &found->second;
  }
  bool move_something() const { return !lines_.empty(); }
  /// In the order in which their first processes come.
  const std::vector<NodeClock>& nodes() const { return nodes_; }

 private:
  std::unordered_map<uint64_t, ClockLine> lines_;
  std::vector<NodeClock> nodes_;
};

}  // namespace headrace::events
