#pragma once
// Random access to the bytes of a chunk file. Internal to format.
//
// Files are read with pread, not mapped: a mapped file that is cut while it is read kills the process.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace headrace::format {

class Source {
 public:
  virtual ~Source() = default;

  uint64_t size() const { return size_; }
  const std::string& label() const { return label_; }  // the path, for messages

  /// The bytes [offset, offset + length), which must lie inside the size. The view lives until `scratch` changes.
  /// kIo: the system refused; kTruncated: the file has become shorter since it was opened.
  virtual base::Result<base::Bytes> read(uint64_t offset, size_t length, std::vector<uint8_t>& scratch) = 0;

  /// The next byte from `offset` on, which is inside the size, that is in no hole; the size where none follows.
  virtual uint64_t next_data(uint64_t offset) { return offset; }

  /// The file and the place in it, for messages.
  virtual std::string place(uint64_t offset) const { return label_ + ": at offset " + std::to_string(offset); }

 protected:
  Source(uint64_t size, std::string label) : size_(size), label_(std::move(label)) {}

 private:
  uint64_t size_;
  std::string label_;
};

/// kNotFound, kIo: as Reader::open().
base::Result<std::unique_ptr<Source>> open_file_source(const std::string& path);

/// `bytes` must outlive the source.
std::unique_ptr<Source> make_memory_source(base::Bytes bytes, std::string label);

}  // namespace headrace::format
