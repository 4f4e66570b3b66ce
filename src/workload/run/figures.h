// What a rank measured in a phase. Plain bytes: ranks send it to rank 0 as it is.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "workload/plan/operation.h"

namespace headrace::workload {

struct CallFigures {
  uint64_t calls = 0, bytes = 0, ns = 0, longest_ns = 0;

  void add(uint64_t bytes_of_call, uint64_t ns_of_call) {
    ++calls;
    bytes += bytes_of_call;
    ns += ns_of_call;
    longest_ns = std::max(longest_ns, ns_of_call);
  }
  /// Of one that counted in other units.
  void scale(double ns_of_unit) {
    ns = static_cast<uint64_t>(static_cast<double>(ns) * ns_of_unit);
    longest_ns = static_cast<uint64_t>(static_cast<double>(longest_ns) * ns_of_unit);
  }
};

struct PhaseFigures {
  std::array<CallFigures, static_cast<size_t>(Verb::kCount)> calls;
  uint64_t begin_ns = 0, duration_ns = 0;  // the begin by the real-time clock, comparable between nodes as clocks are
  uint64_t block_writes = 0;               // that were made of those that gathered in blocks
  uint64_t checked_bytes = 0, wrong_bytes = 0, missing_bytes = 0;  // missing: the file ended before them
  uint64_t first_wrong_at = 0;                                     // in its file
  uint32_t first_wrong_file = 0;

  CallFigures& operator[](Verb verb) { return calls[static_cast<size_t>(verb)]; }
  const CallFigures& operator[](Verb verb) const { return calls[static_cast<size_t>(verb)]; }
  uint64_t bytes() const { return (*this)[Verb::kWrite].bytes + (*this)[Verb::kRead].bytes; }
};

/// Of all ranks in a phase.
struct PhaseSum {
  std::vector<PhaseFigures> ranks;  // each one's, in their order
  PhaseFigures all;                 // sums; of longest_ns the largest; first_wrong_* of the lowest rank that has one
  uint64_t slowest_ns = 0;          // duration_ns of the slowest rank: what rates are made of
  uint64_t fastest_ns = 0, slowest_rank = 0;
  uint64_t transfer_ns = 0;  // in reading and writing alone, of the rank that spent most on it
  uint64_t elapsed_ns = 0;   // from the first rank's begin to the last one's end, by their own clocks
  int64_t wrong_rank = -1;
  double summed_rate = 0;  // of each rank its bytes by its own time, added up; bytes a second

  /// Of reading and writing alone, bytes a second.
  double transfer_rate() const {
    return transfer_ns > 0 ? static_cast<double>(all.bytes()) * 1e9 / static_cast<double>(transfer_ns) : 0;
  }
  /// From opening to closing.
  double bytes_per_second() const {
    return slowest_ns > 0 ? static_cast<double>(all.bytes()) * 1e9 / static_cast<double>(slowest_ns) : 0;
  }
};

PhaseSum sum_of(const std::vector<PhaseFigures>& ranks);

}  // namespace headrace::workload
