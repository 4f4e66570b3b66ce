// open, pwrite, pread, fsync, close.
#include <fcntl.h>
#include <unistd.h>

#include "workload/backend/backend.h"
#include "workload/backend/failure.h"
#include "workload/backend/open_files.h"

namespace headrace::workload {
namespace {

using base::Result;
using base::Status;

class Posix : public Backend {
 public:
  Status open(uint32_t file, const std::string& path, bool create, bool) override {
    const int descriptor = ::open(path.c_str(), O_CLOEXEC | (create ? O_RDWR | O_CREAT : O_RDONLY), 0666);
    if (descriptor < 0) return failure(path + ": open");
    files_.add(file, descriptor, path);
    return {};
  }

  Status write(uint32_t file, uint64_t offset, std::span<const uint8_t> bytes) override {
    const auto& [descriptor, path] = files_[file];
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

  Result<uint64_t> read(uint32_t file, uint64_t offset, std::span<uint8_t> bytes) override {
    const auto& [descriptor, path] = files_[file];
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t got =
          pread(descriptor, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return failure(transfer_text(path, "read", bytes.size() - done, offset + done));
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    return uint64_t{done};
  }

  Status sync(uint32_t file) override {
    const auto& [descriptor, path] = files_[file];
    return fsync(descriptor) == 0 ? Status() : failure(path + ": fsync");
  }

  Status close(uint32_t file) override {
    const auto [descriptor, path] = files_[file];
    files_.remove(file);
    return ::close(descriptor) == 0 ? Status() : failure(path + ": close");
  }

 private:
  OpenFiles<int> files_;
};

}  // namespace

std::unique_ptr<Backend> make_posix() { return std::make_unique<Posix>(); }

}  // namespace headrace::workload
