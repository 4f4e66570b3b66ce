// What calls add up to: of the job, and of its replay.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "workload/replay/recording.h"

namespace headrace::workload::replay {

inline constexpr size_t kSizes = 65;  // bucket b holds sizes in (2^(b-1), 2^b], as in job logs; 0 holds 0 and 1

constexpr size_t size_bucket(uint64_t bytes) { return bytes <= 1 ? 0 : static_cast<size_t>(std::bit_width(bytes - 1)); }

/// Of the calls of one function. Plain numbers: ranks send them as they are.
struct FunctionFigures {
  uint64_t calls = 0, errors = 0, bytes = 0, ns = 0;
  uint64_t consecutive = 0, forward = 0, backward = 0;  // where they began, seen from the end of the one before
  std::array<uint64_t, kSizes> sizes = {};              // of those that read or write, by what they moved

  void add(const FunctionFigures& more);
};

/// Adds up the calls of one process or rank, in their order.
class Adder {
 public:
  explicit Adder(const std::vector<Function>& functions) : functions_(functions), sums_(functions.size()) {}
  /// `offset`: kUnknown where nobody knows.
  void add(uint32_t function, uint32_t path, uint64_t offset, uint64_t moved, uint64_t ns, bool failed);
  const std::vector<FunctionFigures>& sums() const { return sums_; }

 private:
  const std::vector<Function>& functions_;
  std::vector<FunctionFigures> sums_;
  std::map<std::pair<uint32_t, bool>, uint64_t> ends_;  // of a file's last read, and write
};

}  // namespace headrace::workload::replay
