#include "capture/harvest/event_file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

namespace headrace::capture {
namespace {

constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
constexpr int kLockAttempts = 10'000;  // of a millisecond

/// False: somebody else has it all the time.
bool lock_events(int descriptor) {
  const timespec moment{0, 1'000'000};
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return true;  // locks do not work here: so nobody has one
    nanosleep(&moment, nullptr);
  }
  return false;
}

}  // namespace

LockedEventFile::LockedEventFile(int directory, const std::string& name)
    : descriptor_(openat(directory, name.c_str(), kFlags)) {
  struct stat info{};
  if (descriptor_ < 0 || !lock_events(descriptor_) || fstat(descriptor_, &info) != 0 || !S_ISREG(info.st_mode)) return;
  size_ = static_cast<uint64_t>(info.st_size);
  if (size_ < kEventsBegin) return;
  memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory_ == MAP_FAILED) return;
  const auto* file = static_cast<const EventFileHeader*>(memory_);
  auto* header = reinterpret_cast<FlushHeader*>(static_cast<EventFileHeader*>(memory_) + 1);
  const bool is_one =
      file->magic == kEventMagic && file->version == kEventVersion && file->header_bytes == kEventsBegin;
  if (is_one && header->gathered == 0) header_ = header;
}

LockedEventFile::~LockedEventFile() {
  if (memory_ != nullptr && memory_ != MAP_FAILED) munmap(memory_, size_);
  if (descriptor_ >= 0) close(descriptor_);
}

EventsTaken::EventsTaken(int directory, const std::string& name) {
  const int descriptor = openat(directory, name.c_str(), kFlags);
  there_ = descriptor >= 0 || errno != ENOENT;
  if (descriptor < 0) return;
  ok_ = lock_events(descriptor);
  struct stat info{};
  const uint32_t yes = 1;
  const auto place = static_cast<off_t>(sizeof(EventFileHeader) + offsetof(FlushHeader, gathered));
  if (ok_ && fstat(descriptor, &info) == 0 && info.st_size >= static_cast<off_t>(kEventsBegin))
    (void)!pwrite(descriptor, &yes, sizeof yes, place);
  close(descriptor);
}

void wait_for_flusher(int directory, const std::string& name, const std::function<bool()>& in_use) {
  constexpr int kStartOrEnd = 500;  // milliseconds before it locks the file, or after it
  const int descriptor = openat(directory, name.c_str(), kFlags);
  const timespec moment{0, 1'000'000};
  int unlocked = 0;
  for (int attempt = 0; descriptor >= 0 && attempt < kLockAttempts && unlocked < kStartOrEnd && in_use(); ++attempt) {
    const bool is_free = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    if (is_free) flock(descriptor, LOCK_UN);
    unlocked = is_free ? unlocked + 1 : 0;
    nanosleep(&moment, nullptr);
  }
  if (descriptor >= 0) close(descriptor);
}

}  // namespace headrace::capture
