// fopen, fseek, fwrite, fread, fflush with fsync, fclose; a stream's own buffer as the C library has it.
#include <stdio.h>
#include <unistd.h>

#include "workload/backend/backend.h"
#include "workload/backend/failure.h"
#include "workload/backend/open_files.h"

namespace headrace::workload {
namespace {

using base::Result;
using base::Status;

struct Stream {
  FILE* file = nullptr;
  uint64_t position = 0;
};

class Stdio : public Backend {
 public:
  Status open(uint32_t file, const std::string& path, bool create, bool) override {
    // "w" would cut what another rank has written, and "r+" makes no file.
    FILE* stream = create ? fopen(path.c_str(), "r+e") : fopen(path.c_str(), "re");
    if (stream == nullptr && create && errno == ENOENT) stream = fopen(path.c_str(), "w+xe");
    if (stream == nullptr && create && errno == EEXIST) stream = fopen(path.c_str(), "r+e");  // another rank was first
    if (stream == nullptr) return failure(path + ": fopen");
    files_.add(file, {stream, 0}, path);
    return {};
  }

  Status write(uint32_t file, uint64_t offset, std::span<const uint8_t> bytes) override {
    auto& [stream, path] = files_[file];
    if (!seek(stream, offset) || fwrite(bytes.data(), 1, bytes.size(), stream.file) != bytes.size())
      return failure(transfer_text(path, "fwrite", bytes.size(), offset));
    stream.position += bytes.size();
    return {};
  }

  Result<uint64_t> read(uint32_t file, uint64_t offset, std::span<uint8_t> bytes) override {
    auto& [stream, path] = files_[file];
    if (!seek(stream, offset)) return failure(transfer_text(path, "fread", bytes.size(), offset));
    const size_t got = fread(bytes.data(), 1, bytes.size(), stream.file);
    if (got < bytes.size() && ferror(stream.file) != 0)
      return failure(transfer_text(path, "fread", bytes.size(), offset));
    stream.position += got;
    return uint64_t{got};
  }

  Status sync(uint32_t file) override {
    const auto& [stream, path] = files_[file];
    return fflush(stream.file) == 0 && fsync(fileno(stream.file)) == 0 ? Status() : failure(path + ": fflush");
  }

  Status close(uint32_t file) override {
    const auto [stream, path] = files_[file];
    files_.remove(file);
    return fclose(stream.file) == 0 ? Status() : failure(path + ": fclose");
  }

 private:
  /// Only where the stream is not there yet: a seek throws a buffer away.
  static bool seek(Stream& stream, uint64_t offset) {
    if (stream.position == offset) return true;
    if (fseeko(stream.file, static_cast<off_t>(offset), SEEK_SET) != 0) return false;
    stream.position = offset;
    return true;
  }

  OpenFiles<Stream> files_;
};

}  // namespace

std::unique_ptr<Backend> make_stdio() { return std::make_unique<Stdio>(); }

}  // namespace headrace::workload
