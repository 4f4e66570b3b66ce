// Attributes of files, and of the file system.
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "forward/backend/backend.h"
#include "forward/mount/operations.h"
#include "forward/program/attributes.h"

namespace headrace::forward::mount {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

int64_t nanoseconds(const timespec& time) { return time.tv_sec * kSecond + time.tv_nsec; }

uint32_t attributes_to_set(const struct stat& to, int which, Attributes* into) {
  uint32_t set = 0;
  const auto take = [&](int bit, uint32_t mine) {
    if (which & bit) set |= mine;
    return (which & bit) != 0;
  };
  if (take(FUSE_SET_ATTR_MODE, kSetMode)) into->mode = to.st_mode & 07777;
  if (take(FUSE_SET_ATTR_UID, kSetUser)) into->user = to.st_uid;
  if (take(FUSE_SET_ATTR_GID, kSetGroup)) into->group = to.st_gid;
  if (take(FUSE_SET_ATTR_ATIME, kSetAccessed)) into->accessed = nanoseconds(to.st_atim);
  if (take(FUSE_SET_ATTR_MTIME, kSetModified)) into->modified = nanoseconds(to.st_mtim);
  if (take(FUSE_SET_ATTR_ATIME_NOW, kSetAccessed)) into->accessed = kTimeNow;
  if (take(FUSE_SET_ATTR_MTIME_NOW, kSetModified)) into->modified = kTimeNow;
  return set;
}

}  // namespace

void answer_attributes(fuse_req_t request, Item& item, const Outcome<Attributes>& attributes) {
  if (!attributes.ok()) return answer(request, attributes.error());
  struct stat status;
  mount_of(request).fill(item, *attributes, &status);
  fuse_reply_attr(request, &status, 0);
}

void get_attributes(fuse_req_t request, fuse_ino_t id, fuse_file_info*) {
  Mount& mount = mount_of(request);
  const ItemRef item = mount.items().find(id);
  if (item == nullptr) return answer(request, ESTALE);
  answer_attributes(request, *item, mount.attributes(*item));
}

void set_attributes(fuse_req_t request, fuse_ino_t id, struct stat* to, int which, fuse_file_info*) {
  Mount& mount = mount_of(request);
  const ItemRef item = mount.items().find(id);
  if (item == nullptr) return answer(request, ESTALE);
  Attributes wanted;
  const uint32_t set = attributes_to_set(*to, which, &wanted);
  Outcome<Attributes> now = Failed{EINVAL};
  if (which & FUSE_SET_ATTR_SIZE) {
    now = mount.on(
        *item, [&](const Handle& handle) { return mount.client().resize(handle, static_cast<uint64_t>(to->st_size)); });
    if (!now.ok()) return answer(request, now.error());
  }
  if (set != 0)
    now = mount.on(*item, [&](const Handle& handle) { return mount.client().set_attributes(handle, set, wanted); });
  else if (!(which & FUSE_SET_ATTR_SIZE))
    now = mount.attributes(*item);
  answer_attributes(request, *item, now);
}

void check_access(fuse_req_t request, fuse_ino_t id, int mode) {
  Mount& mount = mount_of(request);
  const ItemRef item = mount.items().find(id);
  if (item == nullptr) return answer(request, ESTALE);
  const auto attributes = mount.attributes(*item);
  answer(request, attributes.ok() ? program::check_access(*attributes, mode) : attributes.error());
}

void get_space(fuse_req_t request, fuse_ino_t id) {
  constexpr uint64_t kBlock = 4096;
  Mount& mount = mount_of(request);
  const ItemRef item = mount.items().find(id != 0 ? id : kRootId);
  if (item == nullptr) return answer(request, ESTALE);
  const auto space = mount.on(*item, [&](const Handle& handle) { return mount.client().space(handle); });
  if (!space.ok()) return answer(request, space.error());
  struct statvfs into = {};
  into.f_bsize = into.f_frsize = kBlock;
  into.f_blocks = space->bytes / kBlock;
  into.f_bfree = space->free / kBlock;
  into.f_bavail = space->available / kBlock;
  into.f_files = space->files;
  into.f_ffree = into.f_favail = space->free_files;
  into.f_namemax = 255;
  fuse_reply_statfs(request, &into);
}

}  // namespace headrace::forward::mount
