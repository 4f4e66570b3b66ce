#include "capture/recorder/file_identity.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <atomic>

#include "base/hash.h"
#include "base/kernel.h"

namespace headrace::capture {
namespace {

constexpr int kForIdentity = 0x200;  // AT_HANDLE_FID, of Linux 6.6: handles where nobody can open by them as well
constexpr unsigned kMostBytes = 128;
// Of FUSE, whose numbers last as long as the kernel remembers the file; and of others with 64-bit numbers.
constexpr int kPerhapsFuse = 0x81;

struct Handle {
  unsigned bytes;
  int type;
  unsigned char of[kMostBytes];
};
struct Asked {
  int directory;
  const char* path;
  int flags;  // as of statx
};

bool ask(const Asked& asked, unsigned mask, struct statx& found) {
  return base::kernel_call(SYS_statx, asked.directory, asked.path, asked.flags | AT_STATX_DONT_SYNC, mask, &found) == 0;
}

uint64_t birth_of(const struct statx& found) {
  if ((found.stx_mask & STATX_BTIME) == 0) return 0;
  return static_cast<uint64_t>(found.stx_btime.tv_sec) * 1'000'000'000 + found.stx_btime.tv_nsec;
}

uint64_t device_of(const struct statx& found) { return uint64_t{found.stx_dev_major} << 32 | found.stx_dev_minor; }

// Answers that hold for all files of a mount or device: key << 2 | 2 | yes.
constexpr uint64_t kRemembered = 16;
using Memory = std::atomic<uint64_t>[kRemembered];
Memory lasting_numbers, of_this_node;

int recall(Memory& memory, uint64_t key) {
  const uint64_t seen = memory[key % kRemembered].load(std::memory_order_relaxed);
  return seen >> 2 == key && (seen & 2) != 0 ? static_cast<int>(seen & 1) : -1;
}
bool remember(Memory& memory, uint64_t key, bool answer) {
  memory[key % kRemembered].store(key << 2 | 2 | (answer ? 1 : 0), std::memory_order_relaxed);
  return answer;
}

/// File systems whose files have a time of birth keep their numbers.
bool numbers_last(const Asked& asked, int mount) {
  const int known = recall(lasting_numbers, static_cast<uint32_t>(mount));
  if (known >= 0) return known != 0;
  struct statx found;
  if (!ask(asked, STATX_BTIME, found)) return false;
  return remember(lasting_numbers, static_cast<uint32_t>(mount), birth_of(found) != 0);
}

/// File systems of one node number their files each from 1, and times of birth move in ticks, so that two of them may
/// have twins. Those that nodes share are other devices on each node: there the device says nothing.
int is_of_this_node(const Asked& asked, const struct statx& found) {
  if (found.stx_dev_major != 0) return 1;
  const int known = recall(of_this_node, found.stx_dev_minor);
  if (known >= 0) return known;
  if (*asked.path && *asked.path != '/' && asked.directory != AT_FDCWD) return -1;
  struct statfs system;
  const long status = *asked.path ? base::kernel_call(SYS_statfs, asked.path, &system)
                                  : base::kernel_call(SYS_fstatfs, asked.directory, &system);
  if (status != 0) return -1;
  const auto type = static_cast<uint64_t>(system.f_type);
  return remember(
      of_this_node, found.stx_dev_minor,
      type == TMPFS_MAGIC || type == RAMFS_MAGIC || type == OVERLAYFS_SUPER_MAGIC || type == BTRFS_SUPER_MAGIC);
}

FileIdentity by_birth(const Asked& asked) {
  struct statx found;
  if (!ask(asked, STATX_INO | STATX_BTIME, found)) return 0;
  const uint64_t born = birth_of(found);
  const int here = born == 0 ? -1 : is_of_this_node(asked, found);
  if (here < 0) return 0;
  const uint64_t file = base::mix(found.stx_ino, born);
  return here == 0 ? file : base::mix(file, device_of(found));
}

std::atomic<int> handle_flags{kForIdentity};
std::atomic<bool> no_handles;

FileIdentity find(const Asked& asked) {
  if (no_handles.load(std::memory_order_relaxed)) return by_birth(asked);
  Handle handle;
  int mount = 0;
  const int follows = (asked.flags & AT_SYMLINK_NOFOLLOW) != 0 ? 0 : AT_SYMLINK_FOLLOW;
  const int how = (asked.flags & AT_EMPTY_PATH) | follows;
  long status = -EINVAL;
  for (int extra = handle_flags.load(std::memory_order_relaxed);;) {
    handle.bytes = kMostBytes;
    status = base::kernel_call(SYS_name_to_handle_at, asked.directory, asked.path, &handle, &mount, how | extra);
    if (status != -EINVAL || extra == 0) break;
    handle_flags.store(extra = 0, std::memory_order_relaxed);
  }
  if (status == -EPERM || status == -ENOSYS) no_handles.store(true, std::memory_order_relaxed);
  if (status != 0) return by_birth(asked);
  if (handle.type == kPerhapsFuse && !numbers_last(asked, mount)) return 0;
  return base::mix(static_cast<uint64_t>(handle.type), base::hash_bytes(handle.of, handle.bytes));
}

FileKind look(const Asked& asked) {
  struct statx found;
  if (!ask(asked, STATX_TYPE | STATX_INO | STATX_NLINK | STATX_BTIME, found)) return {};
  const uint64_t born = birth_of(found);
  const uint64_t birth = born == 0 ? 0 : base::mix(found.stx_ino ^ device_of(found), born);
  return {birth, found.stx_ino, found.stx_nlink, found.stx_mode};
}

int flags_to(bool follow) { return follow ? 0 : AT_SYMLINK_NOFOLLOW; }

}  // namespace

FileIdentity identity_of(int fd) { return find({fd, "", AT_EMPTY_PATH}); }
FileIdentity identity_of(int directory, const char* path, bool follow) {
  return find({directory, path, flags_to(follow)});
}
FileKind file_kind(int fd) { return look({fd, "", AT_EMPTY_PATH}); }
FileKind file_kind(int directory, const char* path, bool follow) { return look({directory, path, flags_to(follow)}); }

}  // namespace headrace::capture
