#pragma once
// The ranks of parallel programs, from the table `processes`. Plain values; reading is safe in any thread.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/columns.h"
#include "bindings/id_map.h"

namespace headrace::bindings {

struct Rank {
  int64_t number;
  uint32_t program;
  uint64_t process;  // the first image of it that the log has
};

/// The ranks of a log, each once, whatever it executed.
struct Ranks {
  explicit Ranks(const SharedTable& processes);

  std::vector<Rank> all;
  std::vector<uint64_t> worlds;  // of each program: how many ranks it has
  IdMap of_process;              // index into `all`
  /// The same; kNone: the log does not have it.
  uint32_t find(uint32_t program, int64_t number) const;

  IdMap standing;  // of a process that stands for ranks of a program: the program

 private:
  IdMap of_number_;
};

/// Some ranks of one program.
class RankSet {
 public:
  /// As the column shared.who has them. False: it says that there are others, or cannot be read.
  bool add(std::string_view who);
  void add(int64_t first, int64_t last) {
    if (first <= last) ranges_.emplace_back(first, last);
  }
  void add(const RankSet& other) { ranges_.insert(ranges_.end(), other.ranges_.begin(), other.ranges_.end()); }
  /// In order, each rank in one range only.
  void sort();
  /// Of a sorted set.
  uint64_t count() const;
  bool contains(int64_t rank) const;

 private:
  std::vector<std::pair<int64_t, int64_t>> ranges_;
};

}  // namespace headrace::bindings
