#include "forward/backend/confined.h"
#include "forward/backend/lustre.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <deque>
#include <vector>

#include "forward/backend/path.h"

namespace headrace::forward {
namespace {

using base::Code;
using base::Status;

constexpr int kMostLinks = 40;     // as the kernel
constexpr int kMostAttempts = 16;  // when the tree changes under us

std::string read_link(int directory, const char* name) {
  char target[PATH_MAX];
  const ssize_t size = readlinkat(directory, name, target, sizeof target);
  return size > 0 ? std::string(target, static_cast<size_t>(size)) : "";
}

/// One way down from the root.
class Walk {
 public:
  Walk(int root, dev_t device, const std::string& root_path) : root_(root), device_(device), root_path_(root_path) {}

  Outcome<Descriptor> open(std::string_view path, int flags, mode_t mode) {
    push_front(path);
    while (!left_.empty()) {
      const std::string part = left_.front();
      left_.pop_front();
      if (part == "..") {
        if (way_.empty()) return Failed{EXDEV};
        way_.pop_back();
      } else if (left_.empty()) {
        if (auto last = open_last(part, flags, mode); last.ok() || last.error() != EAGAIN) return last;
      } else if (const int error = enter(part); error != 0) {
        return Failed{error};
      }
    }
    const int fd = openat(here(), ".", flags | O_CLOEXEC, mode);
    if (fd < 0) return Failed{errno};
    return Descriptor(fd);
  }

 private:
  int here() const { return way_.empty() ? root_ : way_.back().get(); }

  void push_front(std::string_view path) {
    const auto parts = parts_of(path);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) left_.emplace_front(*part);
    // "a/" is a directory or nothing.
    if (path.ends_with('/') && !parts.empty()) left_.insert(left_.begin() + static_cast<long>(parts.size()), ".");
  }

  /// Goes on at a link's target, which is relative to where the link is.
  int follow(const std::string& target) {
    if (++links_ > kMostLinks) return ELOOP;
    std::string_view rest = target;
    if (target.starts_with('/')) {
      if (!below(target, root_path_, &rest)) return EXDEV;
      way_.clear();
    }
    push_front(rest);
    return 0;
  }

  int enter(const std::string& name) {
    if (name == ".") return 0;
    Descriptor next(openat(here(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status;
    if (next.get() < 0 || fstat(next.get(), &status) != 0) return errno;
    if (S_ISLNK(status.st_mode)) return follow(read_link(next.get(), ""));
    if (!S_ISDIR(status.st_mode)) return ENOTDIR;
    if (status.st_dev != device_) return EXDEV;
    way_.push_back(std::move(next));
    return 0;
  }

  /// EAGAIN: it was a link, and the walk goes on.
  Outcome<Descriptor> open_last(const std::string& name, int flags, mode_t mode) {
    const bool itself = (flags & O_NOFOLLOW) || ((flags & O_CREAT) && (flags & O_EXCL));
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
      if (!itself) {
        const std::string target = read_link(here(), name.c_str());
        if (!target.empty()) return Failed{follow(target) == 0 ? EAGAIN : (links_ > kMostLinks ? ELOOP : EXDEV)};
      }
      const int fd = openat(here(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode);
      if (fd >= 0 && !itself && (flags & O_PATH)) {
        struct stat status;
        if (fstat(fd, &status) == 0 && S_ISLNK(status.st_mode)) {  // since we looked
          close(fd);
          continue;
        }
      }
      if (fd >= 0) return Descriptor(fd);
      if (errno != ELOOP || itself) return Failed{errno};
    }
    return Failed{ELOOP};
  }

  int root_;
  dev_t device_;
  const std::string& root_path_;
  std::vector<Descriptor> way_;
  std::deque<std::string> left_;
  int links_ = 0;
};

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) close(fd_);
    fd_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

int Descriptor::release() {
  const int fd = fd_;
  fd_ = -1;
  return fd;
}

base::Result<Confined> Confined::make(const std::string& directory, bool use_openat2) {
  char resolved[PATH_MAX];
  Confined made;
  struct stat status;
  if (realpath(directory.c_str(), resolved) != nullptr)
    made.root_ = Descriptor(::open(resolved, O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (made.root_.get() < 0 || fstat(made.root_.get(), &status) != 0)
    return Status(errno == ENOENT ? Code::kNotFound : Code::kIo, directory + ": " + strerror(errno));
  made.path_ = resolved;
  made.device_ = status.st_dev;
  made.use_openat2_ = use_openat2;
  made.is_lustre_ = forward::is_lustre(made.root_.get());
  return made;
}

Outcome<Descriptor> Confined::open(std::string_view path, int flags, mode_t mode) const {
  if (!use_openat2_) return walk(path, flags, mode);
  const std::string relative = path.empty() ? "." : std::string(path);
  open_how how = {};
  how.flags = static_cast<uint64_t>(flags | O_CLOEXEC);
  how.mode = flags & O_CREAT ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    const long fd = syscall(SYS_openat2, root_.get(), relative.c_str(), &how, sizeof how);
    if (fd >= 0) return Descriptor(static_cast<int>(fd));
    // EAGAIN: something was renamed meanwhile. EXDEV: maybe an absolute link back into the root. The others: an old
    // kernel, or a filter of system calls that does not know this one.
    if (errno == EXDEV || errno == ENOSYS || errno == EPERM) return walk(path, flags, mode);
    if (errno != EAGAIN && errno != EINTR) return Failed{errno};
  }
  return walk(path, flags, mode);
}

Outcome<Confined::Parent> Confined::parent(std::string_view path) const {
  while (path.ends_with('/')) path.remove_suffix(1);
  const size_t slash = path.rfind('/');
  Parent parent;
  parent.name = path.substr(slash == path.npos ? 0 : slash + 1);
  if (parent.name.empty() || parent.name == "." || parent.name == "..") return Failed{EINVAL};
  auto directory = open(slash == path.npos ? "" : path.substr(0, slash), O_PATH | O_DIRECTORY);
  if (!directory.ok()) return Failed{directory.error()};
  parent.directory = std::move(*directory);
  return parent;
}

Outcome<Descriptor> Confined::walk(std::string_view path, int flags, mode_t mode) const {
  return Walk(root_.get(), device_, path_).open(path, flags, mode);
}

}  // namespace headrace::forward
