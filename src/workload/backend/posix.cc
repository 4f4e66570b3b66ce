// open, pwrite, pread, fsync, close.
#include <fcntl.h>
#include <unistd.h>

#include "workload/backend/backend.h"
#include "workload/backend/failure.h"
#include "workload/backend/open_files.h"
#include "workload/plan/box.h"

namespace headrace::workload {
namespace {

using base::Result;
using base::Status;

Status write_all(int descriptor, const std::string& path, uint64_t offset, std::span<const uint8_t> bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t written =
        pwrite(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return failure(transfer_text(path, "write", bytes.size() - done, offset + done));
    done += static_cast<size_t>(written);
  }
  return {};
}

Result<uint64_t> read_all(int descriptor, const std::string& path, uint64_t offset, std::span<uint8_t> bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = pread(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure(transfer_text(path, "read", bytes.size() - done, offset + done));
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return uint64_t{done};
}

int flags_of(Access access) {
  if (access == Access::kRead) return O_RDONLY;
  return O_RDWR | (access == Access::kCreate ? O_CREAT : 0);
}

/// A box of an array is a call for each of its rows.
class Posix : public Backend {
 public:
  Status open(uint32_t file, const PlannedFile& planned, const std::string& path, Access access) override {
    const int descriptor = ::open(path.c_str(), O_CLOEXEC | flags_of(access), 0666);
    if (descriptor < 0) return failure(path + ": open");
    files_.add(file, {descriptor, planned.shape}, path);
    return {};
  }

  Status write(const Operation& to, std::span<const uint8_t> bytes) override {
    const auto& open = files_[to.file].handle;
    const std::string& path = files_[to.file].path;
    return for_rows(open.shape, to, [&](uint64_t offset, uint64_t at, uint64_t count) {
      return write_all(open.descriptor, path, offset, bytes.subspan(at, count));
    });
  }

  Result<uint64_t> read(const Operation& from, std::span<uint8_t> bytes) override {
    const auto& open = files_[from.file].handle;
    const std::string& path = files_[from.file].path;
    uint64_t all = 0;
    HEADRACE_TRY(for_rows(open.shape, from, [&](uint64_t offset, uint64_t at, uint64_t count) -> Status {
      HEADRACE_ASSIGN(const uint64_t got, read_all(open.descriptor, path, offset, bytes.subspan(at, count)));
      all += got;
      return {};
    }));
    return all;
  }

  Status sync(uint32_t file) override {
    const auto& [open, path] = files_[file];
    return fsync(open.descriptor) == 0 ? Status() : failure(path + ": fsync");
  }

  Status close(uint32_t file) override {
    const auto [open, path] = files_[file];
    files_.remove(file);
    return ::close(open.descriptor) == 0 ? Status() : failure(path + ": close");
  }

 private:
  struct Open {
    int descriptor = -1;
    std::vector<uint64_t> shape;
  };
  OpenFiles<Open> files_;
};

}  // namespace

std::unique_ptr<Backend> make_posix() { return std::make_unique<Posix>(); }

}  // namespace headrace::workload
