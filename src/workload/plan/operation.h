// What a rank does, call by call. A pattern makes plans of these, any back end carries them out.
#pragma once
#include <cstdint>
#include <string>

namespace headrace::workload {

enum class Verb : uint8_t { kCreate, kOpen, kWrite, kRead, kSync, kClose, kStat, kRemove, kCount };

constexpr const char* verb_name(Verb verb) {
  constexpr const char* kNames[] = {"create", "open", "write", "read", "sync", "close", "stat", "remove"};
  return kNames[static_cast<int>(verb)];
}

struct Operation {
  Verb verb;
  uint32_t file;  // of the pattern
  uint64_t offset = 0, bytes = 0;
};

/// A file of a pattern. Of one that is shared all ranks do the same creations, openings and closings.
struct PlannedFile {
  std::string name;  // in the run's directory
  bool shared = false;
  int owner = 0;       // the rank that removes it
  uint64_t bytes = 0;  // in the end
};

}  // namespace headrace::workload
