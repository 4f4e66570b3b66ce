// File records that stand for several ranks of a parallel program, and what each of these ranks did. Plain values.
//
// Rows of the tables `shared` and `shares` of a job log: docs/formats/job-log.md.
#pragma once
#include <cstdint>
#include <string>

#include "model/file_record.h"

namespace headrace::model {

/// How a figure of each of several ranks is spread.
struct Spread {
  uint64_t least = 0, most = 0;
  double mean = 0, variance = 0;  // of the population
};

/// A record that stands for several ranks.
struct SharedRecord {
  uint64_t record = 0;                           // the row of `files`
  uint64_t ranks = 0;                            // that it stands for
  std::string who;                               // these, such as "0-3,8"; ends with ",..." where not all fit
  Spread bytes{};                                // read and written by each
  Spread time_ns{};                              // read_ns + write_ns + meta_ns of each
  int64_t fastest_rank = -1, slowest_rank = -1;  // of equal ones the lowest; −1: not known
  // Of the rank with the least first_open_at_ns (of equal ones the least size): its size_at_open (~0: not known) and
  // flags. What the row of `files` says of all ranks does not tell whether the file held data: one that came later saw
  // the first write.
  uint64_t opened_size = 0, opened_flags = 0;
};

/// What one rank did to a file, or together to several files, whose records stand for several ranks.
struct Share {
  uint64_t process = 0;
  uint64_t record = 0;  // the row of `files`; 0: several files of this layer and kind together
  Layer layer = Layer::kPosix;
  FileKind kind = FileKind::kFile;
  uint64_t files = 1;                         // that it is about
  uint64_t reads = 0, writes = 0, calls = 0;  // calls: those that neither read nor write
  uint64_t bytes_read = 0, bytes_written = 0;
  uint64_t read_ns = 0, write_ns = 0, meta_ns = 0;
};

}  // namespace headrace::model
