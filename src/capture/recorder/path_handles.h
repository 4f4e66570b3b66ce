// Numbers by which events name paths that have no record, such as those that could not be opened. Programs search
// through any number of them, so both what is kept here and what is named is bounded.
//
// Not thread-safe.
#pragma once
#include <cstdint>
#include <utility>

namespace headrace::capture {

class PathHandles {
 public:
  static constexpr uint32_t kMost = 1 << 16;  // that are given in a file of events

  /// 0: it has none, or one that was displaced. `file`: the file of events.
  uint32_t find(uint64_t hash, uint32_t file) const {
    for (const Known& each : places_[hash % kSets])
      if (each.handle != 0 && each.hash == hash && each.file == file) return each.handle;
    return 0;
  }

  bool may_give(uint32_t file) const { return file != file_ || given_ < kMost; }

  /// Takes the place of the oldest one there; when that comes again it gets a second number.
  void put(uint64_t hash, uint32_t file, uint32_t handle) {
    if (file != file_) given_ = 0;
    file_ = file;
    given_++;
    Known next{hash, file, handle};
    for (Known& each : places_[hash % kSets]) std::swap(each, next);
  }

 private:
  static constexpr uint32_t kSets = 1024, kWays = 4;
  struct Known {
    uint64_t hash;
    uint32_t file, handle;
  };
  Known places_[kSets][kWays]{};
  uint32_t file_ = 0, given_ = 0;
};

}  // namespace headrace::capture
