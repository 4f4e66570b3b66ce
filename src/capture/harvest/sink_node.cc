// A file on local storage for all processes that one launcher gathers, copied beside the trace at the end. It is
// removed only when the copy is complete, stored, and read again.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "base/hash.h"
#include "capture/harvest/copy_file.h"
#include "capture/harvest/job_facts.h"
#include "capture/harvest/job_log.h"
#include "capture/harvest/trace_sink.h"

namespace headrace::capture {
namespace {

using base::Code;
using base::Result;
using base::Status;

/// Local directories are everybody's: a file of another user under our name is none of ours.
bool is_ours(int descriptor) {
  struct stat info{};
  return fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() && info.st_nlink == 1;
}

bool same_bytes(const std::string& one, const std::string& other) {
  const int descriptors[] = {open(one.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC),
                             open(other.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
  std::vector<char> bytes[2] = {std::vector<char>(1 << 20), std::vector<char>(1 << 20)};
  bool same = descriptors[0] >= 0 && descriptors[1] >= 0;
  for (off_t offset = 0; same;) {
    const ssize_t length = pread(descriptors[0], bytes[0].data(), bytes[0].size(), offset);
    same = length >= 0 && pread(descriptors[1], bytes[1].data(), bytes[1].size(), offset) == length &&
           memcmp(bytes[0].data(), bytes[1].data(), static_cast<size_t>(length)) == 0;
    if (length <= 0) break;
    offset += length;
  }
  for (const int descriptor : descriptors)
    if (descriptor >= 0) close(descriptor);
  return same;
}

class NodeFile : public TraceSink {
 public:
  NodeFile(const StreamDirectory& directory, const std::string& local, const std::string& spool)
      : directory_(directory) {
    const std::string name = spool.substr(spool.rfind('/') + 1);
    local_ = local + "/" + name + ".trace.hr";
    char hash[24];
    snprintf(hash, sizeof hash, "%08x", static_cast<uint32_t>(base::hash_text(host_name() + name)));
    file_ = "node-" + host_name() + "-" + hash;
  }

  Result<std::unique_ptr<format::Sink>> open(const StreamOf&, StreamPlace& place) override {
    const int descriptor =
        ::open(local_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (descriptor < 0) return Status(Code::kIo, local_ + ": cannot be opened: " + strerror(errno));
    if (!is_ours(descriptor)) {
      close(descriptor);
      return Status(Code::kIo, local_ + ": is not ours");
    }
    place.file = file_ + ".hr";
    return format::FileSink::adopt(descriptor, local_);
  }

  Status finish() override {
    struct stat info{};
    if (lstat(local_.c_str(), &info) != 0) return {};
    // A launcher that was ended may have copied what was there then; more may have come since.
    for (int number = 1;; ++number) {
      const std::string name = file_ + (number == 1 ? "" : "-" + std::to_string(number)) + ".hr";
      const auto path = directory_.path_of(name);
      Status copied = path.status();
      if (path.ok() && access(path->c_str(), F_OK) != 0) copied = copy(*path, static_cast<uint64_t>(info.st_size));
      if (!copied.ok())
        return {copied.code(), copied.message() + "; events of this node stay in " + local_ + ": copy that to " +
                                   (path.ok() ? *path : name + " in it")};
      if (!same_bytes(local_, *path)) continue;
      unlink(local_.c_str());
      return {};
    }
  }

 private:
  Status copy(const std::string& path, uint64_t bytes) const {
    const std::string beside = path + "." + std::to_string(getpid()) + ".part";
    HEADRACE_TRY(copy_file(local_, beside, bytes));
    directory_.permit(beside);
    const int descriptor = ::open(beside.c_str(), O_RDONLY | O_CLOEXEC);
    const bool stored = descriptor >= 0 && fsync(descriptor) == 0;
    if (descriptor >= 0) close(descriptor);
    if (stored && same_bytes(local_, beside) && rename(beside.c_str(), path.c_str()) == 0) return {};
    unlink(beside.c_str());
    return {Code::kIo, path + ": is no true copy of " + local_};
  }

  StreamDirectory directory_;
  std::string local_, file_;
};

}  // namespace

std::unique_ptr<TraceSink> make_node_file(const StreamDirectory& directory, const std::string& local,
                                          const std::string& spool) {
  return std::make_unique<NodeFile>(directory, local, spool);
}

}  // namespace headrace::capture
