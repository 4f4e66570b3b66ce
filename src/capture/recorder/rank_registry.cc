#include "capture/recorder/rank_registry.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/kernel.h"
#include "capture/recorder/local_ranks.h"
#include "capture/recorder/process.h"
#include "capture/recorder/settings.h"

namespace headrace::capture::mpi {
namespace {

constexpr char kNothing[RankRegistry::kMost] = {};

/// /tmp and /dev/shm are everybody's: another user may have put a file, or a link to one, under our name.
bool is_ours(const struct stat& file) {
  return S_ISREG(file.st_mode) && file.st_nlink == 1 &&
         file.st_uid == static_cast<unsigned>(base::kernel_call(SYS_geteuid));
}

/// The name and its end; "" where there is no room, since a part of a name is another file's.
template <size_t kSize>
void join(char (&out)[kSize], const char* name, const char* end) {
  const size_t length = strlen(name), rest = strlen(end) + 1;
  out[0] = 0;
  if (length + rest > kSize) return;
  memcpy(out, name, length);
  memcpy(out + length, end, rest);
}

}  // namespace

/// One file for all ranks of the node. Launchers of their own each have a directory of their own, and name a file
/// beside those; the mark tells that one of them that the file is there, should nobody else remove it.
void RankRegistry::choose(const Launch& launch) {
  const Settings& settings = settings_in_force();
  char plain[sizeof path_];
  snprintf(plain, sizeof plain, "%.*s/ranks.%016llx", static_cast<int>(sizeof settings.directory), settings.directory,
           static_cast<unsigned long long>(launch.id));
  join(path_, plain, purpose_);
  const char* name = strrchr(settings.registry, '-');
  if (!name || strcmp(name + 1, strrchr(plain, '/') + 1) != 0) return;  // of another launch, within this one
  strcpy(mark_, path_);
  join(path_, settings.registry, purpose_);
}

void RankRegistry::leave_mark() const {
  if (!mark_[0]) return;
  const long fd = base::kernel_call(SYS_openat, AT_FDCWD, mark_, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd >= 0) base::kernel_call(SYS_close, fd);
}

/// All that ranks ask of the file is its length: where one could not open it and the others could, they would wait for
/// each other.
bool RankRegistry::add(long bytes) {
  const long fd = base::kernel_call(SYS_openat, AT_FDCWD, path_,
                                    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  struct stat found;
  const bool added = fd >= 0 && base::kernel_call(SYS_fstat, fd, &found) == 0 && is_ours(found) &&
                     base::kernel_call(SYS_write, fd, kNothing, bytes) == bytes;
  if (fd >= 0) base::kernel_call(SYS_close, fd);
  return added;
}

long RankRegistry::length() const {
  struct stat found;
  if (base::kernel_call(SYS_newfstatat, AT_FDCWD, path_, &found, AT_SYMLINK_NOFOLLOW) != 0 || !is_ours(found))
    return -1;
  return found.st_size;
}

bool RankRegistry::is_there() const {
  struct stat found;
  return base::kernel_call(SYS_newfstatat, AT_FDCWD, path_, &found, AT_SYMLINK_NOFOLLOW) == 0;
}

void RankRegistry::leave() {
  base::kernel_call(SYS_unlinkat, AT_FDCWD, path_, 0);
  if (mark_[0]) base::kernel_call(SYS_unlinkat, AT_FDCWD, mark_, 0);
  path_[0] = mark_[0] = 0;
}

long ranks_here(const Library& m) {
  const long told = local_ranks(m.name, spool.header->rank, spool.header->ranks);
  return told > 0 ? told : spool.header->ranks;
}

}  // namespace headrace::capture::mpi
