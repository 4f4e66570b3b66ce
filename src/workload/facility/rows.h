#pragma once
// The rows of a log of MadeJob.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "workload/facility/job_log.h"

namespace headrace::workload {

struct MadeProcessRow {
  uint64_t process, pid, ranks, instance, host, executable, start_at_ns, end_at_ns, records, captured;
  int64_t rank;
};

struct MadeFileRow {
  uint64_t process, record, path;
  uint64_t opens, closes, reads, writes, bytes_read, bytes_written, read_ns, write_ns, meta_ns;
  uint64_t reads_consecutive, reads_forward, reads_backward, writes_consecutive, writes_forward, writes_backward;
  uint64_t reads_unaligned_file, writes_unaligned_file, read_end, write_end, seeks;
  uint64_t opens_collective, reads_collective, writes_collective;
  uint64_t first_open_at_ns, last_close_at_ns, first_read_at_ns, last_read_at_ns, first_write_at_ns, last_write_at_ns;
  uint64_t size_at_open, flags;
};

struct MadeSharedRow {
  uint64_t record, ranks, bytes, time_ns, opened_size, opened_flags;
  int64_t first_rank;
  double bytes_mean, time_mean_ns;
};

struct MadeShareRow {
  uint64_t process, files, reads, writes, calls, bytes_read, bytes_written, read_ns, write_ns, meta_ns;
};

struct MadeRows {
  std::vector<uint64_t> names;
  std::vector<std::string> texts;
  std::vector<MadeProcessRow> processes;
  std::vector<MadeFileRow> files;
  std::vector<std::string_view> layers, share_layers, size_directions;  // of files, shares and sizes
  std::vector<MadeSharedRow> shared;
  std::vector<std::string> who;
  std::vector<MadeShareRow> shares;
  std::vector<uint64_t> size_records, size_buckets, size_counts;
};

MadeRows rows_of(uint64_t id, const MadeJob& job);

}  // namespace headrace::workload
