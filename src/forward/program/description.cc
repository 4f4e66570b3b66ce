#include "forward/program/description.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <new>
#include <optional>

#include "forward/program/places.h"
#include "forward/program/process.h"

namespace headrace::forward::program {
namespace {

constexpr uint64_t kDescriptionMagic = 0x3164776672684801;
constexpr char kName[] = "headrace-forward";

struct LinkName {
  char text[32];
  explicit LinkName(int fd) { snprintf(text, sizeof text, "/proc/self/fd/%d", fd); }
};

}  // namespace

Description* Description::make(const Facts& facts, int* fd) {
  const size_t bytes = sizeof(Shared) + facts.handle.size() + facts.path.size();
  const int memory = memfd_create(kName, MFD_CLOEXEC);
  if (memory < 0) return nullptr;
  void* mapped = MAP_FAILED;
  if (ftruncate(memory, static_cast<off_t>(bytes)) == 0)
    mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  const int closed_by_exec = facts.flags & O_CLOEXEC ? O_CLOEXEC : 0;
  const int path = mapped == MAP_FAILED ? -1 : open(LinkName(memory).text, O_PATH | O_CLOEXEC);
  const bool placed = path >= 0 && dup3(path, memory, closed_by_exec) >= 0;
  const int error = errno;
  if (path >= 0) close(path);
  if (!placed) {
    if (mapped != MAP_FAILED) munmap(mapped, bytes);
    close(memory);
    errno = error;
    return nullptr;
  }
  auto* shared = new (mapped) Shared();
  shared->bytes = static_cast<uint32_t>(bytes);
  shared->servers = servers_of(facts.prefix).identity();
  shared->handle_bytes = static_cast<uint32_t>(facts.handle.size());
  shared->path_bytes = static_cast<uint32_t>(facts.path.size());
  shared->mode = facts.mode;
  shared->owner = facts.owner;
  shared->opener = facts.opener;
  shared->is_with_opener = true;
  shared->flags = facts.flags & ~static_cast<uint32_t>(O_CLOEXEC | O_CREAT | O_EXCL | O_TRUNC | O_NOCTTY);
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&shared->lock, &attributes);
  char* to = reinterpret_cast<char*>(shared + 1);
  memcpy(to, facts.handle.data(), facts.handle.size());
  memcpy(to + facts.handle.size(), facts.path.data(), facts.path.size());
  shared->magic = kDescriptionMagic;
  *fd = memory;
  auto* made = new Description(shared, facts.prefix);
  made->opened_in_ = process_generation();
  return made;
}

bool Description::is_placeholder(int fd) {
  char target[64] = {};
  const ssize_t size = readlink(LinkName(fd).text, target, sizeof target - 1);
  constexpr char kShown[] = "/memfd:headrace-forward (deleted)";
  return size > 0 && strcmp(target, kShown) == 0;
}

Description* Description::attach(int fd) {
  if (!is_placeholder(fd)) return nullptr;
  const int memory = open(LinkName(fd).text, O_RDWR | O_CLOEXEC);
  struct stat status;
  if (memory < 0) return nullptr;
  void* mapped = MAP_FAILED;
  size_t bytes = 0;
  if (fstat(memory, &status) == 0 && status.st_size >= static_cast<off_t>(sizeof(Shared))) {
    bytes = static_cast<size_t>(status.st_size);
    mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  }
  close(memory);
  if (mapped == MAP_FAILED) return nullptr;
  auto* shared = static_cast<Shared*>(mapped);
  if (shared->magic != kDescriptionMagic || shared->bytes != bytes ||
      sizeof(Shared) + uint64_t{shared->handle_bytes} + shared->path_bytes != bytes) {
    munmap(mapped, bytes);
    return nullptr;
  }
  // It may come from a run with other servers.
  const std::optional<uint32_t> prefix = prefix_of_servers(shared->servers);
  if (!prefix.has_value()) {
    munmap(mapped, bytes);
    return nullptr;
  }
  return new Description(shared, *prefix);
}

Handle Description::handle() const {
  const auto* from = reinterpret_cast<const uint8_t*>(bytes());
  return {from, from + shared_->handle_bytes};
}

bool Description::may_read() const { return (shared_->flags & (O_ACCMODE | O_PATH)) != O_WRONLY; }
bool Description::may_write() const { return (shared_->flags & O_ACCMODE) != O_RDONLY; }

Description::PositionLock::PositionLock(Description& of) : lock_(&of.shared_->lock) {
  // A process that died inside has moved the position or has not: both are as if its call were over or never came.
  if (pthread_mutex_lock(lock_) == EOWNERDEAD) pthread_mutex_consistent(lock_);
}

bool Description::is_told(uint64_t connection) const {
  return told_in_ == process_generation() && told_at_ == connection;
}

bool Description::was_told() const { return told_in_ == process_generation(); }

void Description::set_told(uint64_t connection) {
  if (told_in_ != process_generation()) children_ = children_begun();
  told_in_ = process_generation();
  told_at_ = connection;
}

bool Description::take_told(bool* shared) {
  *shared = children_ != children_begun() && has_children();
  return told_in_.exchange(0) == process_generation();
}

bool Description::leave_lock() {
  const uint64_t here = process_generation();
  const bool opened = opened_in_ == here, took = took_ && locked_in_ == here;
  opened_in_ = 0;
  took_ = false;
  if (opened) shared_->is_with_opener = false;
  return shared_->was_locked && (opened || took);
}

void Description::set_locked(uint64_t number, bool of_file) {
  locked_in_ = process_generation();
  locked_at_ = number;
  if (!of_file || number == 0) return;
  took_ = true;
  shared_->was_locked = true;
}

bool Description::lost_lock(uint64_t number) const {
  const uint64_t at = locked_at_;
  return at != 0 && at != number && locked_in_ == process_generation();
}

void Description::leave() {
  if (--uses_ > 0) return;
  munmap(shared_, shared_->bytes);
  delete this;
}

}  // namespace headrace::forward::program
