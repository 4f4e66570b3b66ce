// A file of the kernel's that is read again and again. It stays open: opening costs more than reading.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headrace::collect {

/// One thread at a time.
class TextFile {
 public:
  explicit TextFile(std::string path) : path_(std::move(path)) {}
  ~TextFile();
  TextFile(TextFile&& other) noexcept;
  TextFile& operator=(TextFile&&) = delete;
  TextFile(const TextFile&) = delete;

  /// All of it, as it is now; valid until the next call. Opened again when it fails. kNotFound, kIo; kLimit: more than
  /// 64 MiB.
  base::Result<std::string_view> read();

  const std::string& path() const { return path_; }

 private:
  base::Result<std::string_view> read_open();
  base::Status failure(int error) const;

  std::string path_;
  int descriptor_ = -1;
  std::vector<char> bytes_;
};

}  // namespace headrace::collect
