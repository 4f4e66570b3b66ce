// fopen, fseek, fwrite, fread, fflush with fsync, fclose; a stream's own buffer as the C library has it.
#include <stdio.h>
#include <unistd.h>

#include "workload/backend/backend.h"
#include "workload/backend/failure.h"
#include "workload/backend/open_files.h"
#include "workload/plan/box.h"

namespace headrace::workload {
namespace {

using base::Result;
using base::Status;

struct Stream {
  FILE* file = nullptr;
  uint64_t position = 0;
  std::vector<uint64_t> shape;
};

class Stdio : public Backend {
 public:
  Status open(uint32_t file, const PlannedFile& planned, const std::string& path, Access access) override {
    const bool create = access == Access::kCreate;
    // "w" would cut what another rank has written, and "r+" makes no file.
    FILE* stream = fopen(path.c_str(), access == Access::kRead ? "re" : "r+e");
    if (stream == nullptr && create && errno == ENOENT) stream = fopen(path.c_str(), "w+xe");
    if (stream == nullptr && create && errno == EEXIST) stream = fopen(path.c_str(), "r+e");  // another rank was first
    if (stream == nullptr) return failure(path + ": fopen");
    files_.add(file, {stream, 0, planned.shape}, path);
    return {};
  }

  Status write(const Operation& to, std::span<const uint8_t> bytes) override {
    auto& stream = files_[to.file].handle;
    const std::string& path = files_[to.file].path;
    return for_rows(stream.shape, to, [&](uint64_t offset, uint64_t at, uint64_t count) -> Status {
      if (!seek(stream, offset) || fwrite(bytes.data() + at, 1, count, stream.file) != count)
        return failure(transfer_text(path, "fwrite", count, offset));
      stream.position += count;
      return {};
    });
  }

  Result<uint64_t> read(const Operation& from, std::span<uint8_t> bytes) override {
    auto& stream = files_[from.file].handle;
    const std::string& path = files_[from.file].path;
    uint64_t all = 0;
    HEADRACE_TRY(for_rows(stream.shape, from, [&](uint64_t offset, uint64_t at, uint64_t count) -> Status {
      if (!seek(stream, offset)) return failure(transfer_text(path, "fread", count, offset));
      const size_t got = fread(bytes.data() + at, 1, count, stream.file);
      if (got < count && ferror(stream.file) != 0) return failure(transfer_text(path, "fread", count, offset));
      stream.position += got;
      all += got;
      return {};
    }));
    return all;
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
