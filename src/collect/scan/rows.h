#pragma once
// A row for each file, on request: a chunk file of tables files.0, files.1 …, which can be turned into Parquet table by
// table (python/headrace/scans/rows.py).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "collect/scan/directory.h"
#include "format/writer.h"

namespace headrace::collect {

/// Rows that a thread has not handed over.
struct RowBuffer {
  static constexpr size_t kRows = 16384;
  std::vector<std::string> paths;
  std::vector<Inode> inodes;
  void add(std::string path, const Inode& inode) {
    paths.push_back(std::move(path));
    inodes.push_back(inode);
  }
  bool full() const { return paths.size() >= kRows; }
};

/// One thread at a time.
class RowFile {
 public:
  /// Goes on behind `length` bytes and `rows` rows; 0: anew. kTruncated: it is shorter than that.
  static base::Result<RowFile> open(const std::string& path, uint64_t length, uint64_t rows);
  base::Status append(RowBuffer& buffer);
  uint64_t bytes() const { return length_ + writer_->bytes(); }
  uint64_t rows() const { return rows_; }
  base::Status sync();
  base::Status close() { return writer_->close(); }

 private:
  RowFile(int file, format::Writer writer, std::string path, uint64_t length, uint64_t rows)
      : file_(file), writer_(std::move(writer)), path_(std::move(path)), length_(length), rows_(rows) {}
  int file_;  // the writer's
  std::optional<format::Writer> writer_;
  std::string path_;
  uint64_t length_, rows_;
};

}  // namespace headrace::collect
