#pragma once
// What the calls on each file add up to. Internal to events.

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "events/trace_names.h"
#include "events/trace_reader.h"

namespace headrace::events {

/// Of the operations of one layer on what has one path, over all processes.
struct FileFigures {
  std::string path;  // empty: not known
  std::string layer;
  uint64_t calls = 0;  // that ended
  uint64_t unfinished = 0;
  uint64_t errors = 0;
  uint64_t bytes_read = 0, bytes_written = 0;
  uint64_t time_ns = 0;  // of calls that were in no other of the same row
  uint64_t longest_ns = 0;
};

/// The rows, and which one an operation belongs to. The reader outlives it.
class FileTable {
 public:
  explicit FileTable(const TraceReader& trace) : trace_(trace) {}

  /// Its row, a number that stays.
  uint32_t row_of(uint32_t reference, uint64_t process, uint32_t handle);
  /// Good until the next row_of().
  FileFigures& operator[](uint32_t row) { return rows_[row]; }
  std::vector<FileFigures> take() { return std::move(rows_); }

 private:
  uint32_t layer_of(uint32_t reference);

  const TraceReader& trace_;
  std::vector<FileFigures> rows_;
  std::vector<uint32_t> layers_;  // by reference: a number of its own for each layer, from 1
  std::map<std::string, uint32_t> numbers_;
  std::map<std::pair<std::string, std::string>, uint32_t> by_path_;                               // and layer
  std::vector<std::unordered_map<std::pair<uint64_t, uint32_t>, uint32_t, PairHash>> by_handle_;  // by layer
};

}  // namespace headrace::events
