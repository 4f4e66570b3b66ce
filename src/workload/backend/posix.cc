// open, pwrite, pread, fsync, close.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

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
  explicit Posix(bool direct) : direct_(direct) {}

  Status open(uint32_t file, const PlannedFile& planned, const std::string& path, Access access) override {
    const int direct = direct_ ? O_DIRECT : 0;
    const int descriptor = ::open(path.c_str(), O_CLOEXEC | direct | flags_of(access), 0666);
    if (descriptor < 0 && direct_ && errno == EINVAL)
      return {base::Code::kUnsupported,
              path + ": its file system has no O_DIRECT: leave --direct out, or choose another --dir"};
    if (descriptor < 0) return failure(path + ": open");
    files_.add(file, {descriptor, planned.shape}, path);
    return {};
  }

  Status write(const Operation& to, std::span<const uint8_t> bytes) override {
    const auto& open = files_[to.file].handle;
    const std::string& path = files_[to.file].path;
    if (direct_) {
      std::copy(bytes.begin(), bytes.end(), aligned(bytes.size()));
      bytes = {aligned_.get(), bytes.size()};
    }
    return for_rows(open.shape, to, [&](uint64_t offset, uint64_t at, uint64_t count) {
      return write_all(open.descriptor, path, offset, bytes.subspan(at, count));
    });
  }

  Result<uint64_t> read(const Operation& from, std::span<uint8_t> to) override {
    const auto& open = files_[from.file].handle;
    const std::string& path = files_[from.file].path;
    const std::span<uint8_t> bytes = direct_ ? std::span(aligned(to.size()), to.size()) : to;
    uint64_t all = 0;
    HEADRACE_TRY(for_rows(open.shape, from, [&](uint64_t offset, uint64_t at, uint64_t count) -> Status {
      HEADRACE_ASSIGN(const uint64_t got, read_all(open.descriptor, path, offset, bytes.subspan(at, count)));
      all += got;
      return {};
    }));
    if (direct_) std::copy(bytes.begin(), bytes.end(), to.begin());
    return all;
  }

  bool write_at_once(const Operation& to, const uint8_t* bytes) override {
    const Open& open = files_[to.file].handle;
    if (open.shape.size() > 1 || direct_) return false;
    return pwrite(open.descriptor, bytes, to.bytes, static_cast<off_t>(to.offset)) == static_cast<ssize_t>(to.bytes);
  }

  bool read_at_once(const Operation& from, uint8_t* bytes) override {
    const Open& open = files_[from.file].handle;
    if (open.shape.size() > 1 || direct_) return false;
    return pread(open.descriptor, bytes, from.bytes, static_cast<off_t>(from.offset)) ==
           static_cast<ssize_t>(from.bytes);
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
  /// Memory as O_DIRECT wants it, through which all bytes go then.
  uint8_t* aligned(size_t bytes) {
    constexpr size_t kPage = 4096;
    if (bytes > capacity_) {
      capacity_ = (bytes + kPage - 1) / kPage * kPage;
      aligned_.reset(static_cast<uint8_t*>(std::aligned_alloc(kPage, capacity_)));
      if (!aligned_) std::abort();  // as where a vector finds no memory: the run has asked for what there is
    }
    return aligned_.get();
  }

  struct Free {
    void operator()(uint8_t* memory) const { std::free(memory); }
  };
  const bool direct_;
  std::unique_ptr<uint8_t, Free> aligned_;
  size_t capacity_ = 0;
  OpenFiles<Open> files_;
};

}  // namespace

std::unique_ptr<Backend> make_posix(bool direct) { return std::make_unique<Posix>(direct); }

}  // namespace headrace::workload
