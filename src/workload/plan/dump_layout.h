// Where each rank's part of a dump is.
#pragma once
#include "workload/plan/dump.h"

namespace headrace::workload {

inline constexpr uint64_t kDumpHeader = 64,
                          kDumpEntry = 64;  // bytes of a file's beginning, and of a variable in its table

struct DumpLayout {
  /// A file of a dump.
  struct File {
    int writer = 0;
    uint64_t entries = 0;          // of its table
    uint64_t table = 0, data = 0;  // where they begin
    uint64_t bytes = 0;            // 0 = nobody has something to write
    std::vector<int> members;      // that have something in it, ascending
  };
  /// A rank's part of its file.
  struct Part {
    uint32_t file = 0;
    uint64_t items = 0;  // variables, or planes of variables
    uint64_t start = 0;  // of its data
    uint64_t bytes = 0;
    uint64_t entry = 0;  // its first one in the table
  };

  std::vector<uint64_t> chunks;      // of the grid, by dimension
  uint64_t item_bytes = 0;           // of every one
  std::vector<uint64_t> plane_of_z;  // z of each plane
  std::vector<File> files;
  std::vector<Part> parts;  // of each rank
  IoGroups groups;
  Psets psets;

  /// Of rank r in the grid.
  uint64_t x(int rank) const { return static_cast<uint64_t>(rank) % chunks[0]; }
  uint64_t y(int rank) const { return static_cast<uint64_t>(rank) / chunks[0] % chunks[1]; }
  uint64_t z(int rank) const { return static_cast<uint64_t>(rank) / chunks[0] / chunks[1]; }
};

/// kInvalid: which setting makes no sense, and why.
base::Result<DumpLayout> lay_out(const DumpSettings& settings);

}  // namespace headrace::workload
