// What a rank does, call by call. A pattern makes plans of these, any back end carries them out.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "workload/plan/array.h"

namespace headrace::workload {

enum class Verb : uint8_t {
  kCreate,       // a new file, to be written
  kOpenToWrite,  // one that is there
  kOpen,         // to be read
  kWrite,
  kRead,
  kSync,
  kClose,
  kStat,
  kRemove,
  kMakeDirectory,
  kRemoveDirectory,
  kSend,     // a message to another rank: bytes of a file that the other one will write, or has no need to read
  kReceive,  // that message
  kMakeGroup,
  kMakeDataset,
  kOpenDataset,
  kCloseDataset,
  kLink,  // another name for a dataset
  kCount
};

constexpr const char* verb_name(Verb verb) {
  constexpr const char* kNames[] = {"create",
                                    "open_to_write",
                                    "open",
                                    "write",
                                    "read",
                                    "sync",
                                    "close",
                                    "stat",
                                    "remove",
                                    "make_directory",
                                    "remove_directory",
                                    "send",
                                    "receive",
                                    "make_group",
                                    "make_dataset",
                                    "open_dataset",
                                    "close_dataset",
                                    "link"};
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
  uint32_t object = 0;             // of a file that has several arrays, or objects: which
  int peer = -1;                   // of a message: the rank it goes to, or comes from
  bool awaited = false;            // of a message: the sender waits until the other one begins to take it
  bool received = false;           // what is written or sent is what this rank received last, not what it made
};

/// Writes to a file that gather in memory (backend/blocks.cc): in blocks of `bytes` that begin at `from`; what is in
/// front of it is another one.
struct Gather {
  uint64_t from = 0, bytes = 0;  // no bytes: they do not
};

/// A file of a pattern. Of one that is shared all its ranks do the same creations, openings and closings, and go
/// through its arrays in the same order.
struct PlannedFile {
  std::string name;  // in the run's directory
  bool shared = false;
  int owner = 0;                     // the rank that removes it; directories rank 0 removes, the last of them first
  uint64_t bytes = 0;                // in the end
  std::vector<uint64_t> shape = {};  // of an array that it holds, in bytes; empty = it is a row of bytes
  std::vector<uint64_t> chunk = {};  // of that array; empty = contiguous
  bool directory = false;            // and no file; those inside of others have higher numbers
  std::vector<PlannedArray> arrays = {};  // where it holds several; empty = one, of that shape
  Gather gather = {};
  int first = 0, ranks = 0;  // of one that is shared: those that open it, `ranks` from `first` on; 0 = all
};

/// Those that it has, or the one that it is: "data".
inline std::vector<PlannedArray> arrays_of(const PlannedFile& file) {
  if (!file.arrays.empty()) return file.arrays;
  const std::vector<uint64_t> row = {file.bytes};
  return {{"data", Element::kByte, file.shape.empty() ? row : file.shape, 0, file.chunk}};
}

}  // namespace headrace::workload
