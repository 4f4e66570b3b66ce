// What a rank does, call by call. A pattern makes plans of these, any back end carries them out.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace headrace::workload {

enum class Verb : uint8_t { kCreate, kOpen, kWrite, kRead, kSync, kClose, kStat, kRemove, kCount };

constexpr const char* verb_name(Verb verb) {
  constexpr const char* kNames[] = {"create", "open", "write", "read", "sync", "close", "stat", "remove"};
  return kNames[static_cast<int>(verb)];
}

inline constexpr unsigned kMostDimensions = 3;

/// A part of an array of bytes, the last dimension running fastest.
struct Box {
  uint64_t start[kMostDimensions] = {}, count[kMostDimensions] = {};
};

struct Operation {
  Verb verb;
  uint32_t file;                   // of the pattern
  uint64_t offset = 0, bytes = 0;  // of a box the offset is that of its first byte
  Box box = {};                    // of a file with a shape
};

/// A file of a pattern. Of one that is shared all ranks do the same creations, openings and closings.
struct PlannedFile {
  std::string name;  // in the run's directory
  bool shared = false;
  int owner = 0;                     // the rank that removes it
  uint64_t bytes = 0;                // in the end
  std::vector<uint64_t> shape = {};  // of an array that it holds, in bytes; empty = it is a row of bytes
  std::vector<uint64_t> chunk = {};  // of that array; empty = contiguous
};

}  // namespace headrace::workload
