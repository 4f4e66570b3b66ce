// Opening, reading, writing and closing of files.
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>

#include "forward/mount/locks.h"
#include "forward/mount/operations.h"
#include "forward/program/attributes.h"

namespace headrace::forward::mount {
namespace {

int check_open(const Attributes& attributes, int flags) {
  const int access = flags & O_ACCMODE;
  if (!S_ISREG(attributes.mode)) return S_ISDIR(attributes.mode) ? EISDIR : EOPNOTSUPP;
  const bool writes = access != O_RDONLY || (flags & O_TRUNC);
  return program::check_access(attributes, (access != O_WRONLY ? R_OK : 0) | (writes ? W_OK : 0));
}

void begin(const ItemRef& item, fuse_file_info* file) {
  auto* opened = new Opened;
  opened->item = item;
  opened->may_write = (file->flags & O_ACCMODE) != O_RDONLY;
  const std::lock_guard<std::mutex> lock(item->mutex);
  opened->losses = item->losses;
  file->fh = reinterpret_cast<uint64_t>(opened);
  // Others may write at any moment, so every read asks a server. Maps have pages all the same.
  file->direct_io = 1;
}

/// So that it is found whatever becomes of its names.
void tell_open(Mount& mount, const fuse_file_info* file) {
  const Opened& opened = opened_of(file);
  (void)mount.on(*opened.item, [&](const Handle& handle) {
    return mount.client().opened(handle, {opened.owner, opened.may_write}).error();
  });
}

void end(Mount& mount, const fuse_file_info* file) {
  Opened* opened = &opened_of(file);
  mount.client().closed(*mount.items().handle(*opened->item), opened->owner, false);
  --opened->item->opens;
  delete opened;
}

/// What was stored in front of the first part that was not.
uint64_t stored(uint64_t offset, const std::vector<BadRange>& bad) {
  uint64_t first = UINT64_MAX;
  for (const BadRange& each : bad) first = std::min(first, each.where.offset);
  return first == UINT64_MAX || first < offset ? 0 : first - offset;
}

/// Whoever has a lock must not go on when it is gone.
bool lost_lock(Mount& mount, const Opened& opened) {
  const uint64_t at = opened.locked_at;
  return at != 0 && at != mount.client().connection(*mount.items().handle(*opened.item));
}

}  // namespace

void open_file(fuse_req_t request, fuse_ino_t id, fuse_file_info* file) {
  Mount& mount = mount_of(request);
  const ItemRef item = mount.items().find(id);
  if (item == nullptr) return answer(request, ESTALE);
  ++item->opens;  // from here on its last name is not removed unseen
  const auto attributes = mount.attributes(*item);
  int error = attributes.ok() ? check_open(*attributes, file->flags) : attributes.error();
  if (error == 0 && (file->flags & O_TRUNC))
    error = mount.on(*item, [&](const Handle& handle) { return mount.client().resize(handle, 0); }).error();
  if (error != 0) {
    --item->opens;
    return answer(request, error);
  }
  begin(item, file);
  tell_open(mount, file);
  if (fuse_reply_open(request, file) != 0) end(mount, file);
}

void create_file(fuse_req_t request, fuse_ino_t directory, const char* name, mode_t mode, fuse_file_info* file) {
  Mount& mount = mount_of(request);
  const ItemRef in = mount.items().find(directory);
  if (in == nullptr) return answer(request, ESTALE);
  const uint32_t flags = (file->flags & O_EXCL ? kExclusive : 0) | (file->flags & O_TRUNC ? kTruncate : 0);
  const auto node =
      mount.on(*in, [&](const Handle& handle) { return mount.client().create(handle, name, flags, mode & 07777); });
  if (!node.ok()) return answer(request, node.error());
  // One that was made just now may have permissions that its maker does not get.
  const int error = node->attributes.size != 0 ? check_open(node->attributes, file->flags) : 0;
  if (error != 0) return answer(request, error);
  const ItemRef item = mount.items().found(directory, name, *node);
  ++item->opens;
  begin(item, file);
  tell_open(mount, file);
  const fuse_entry_param entry = entry_of(mount, *item, node->attributes);
  if (fuse_reply_create(request, &entry, file) == 0) return;
  end(mount, file);
  mount.items().forget(item->id, 1);
}

void read_file(fuse_req_t request, fuse_ino_t, size_t size, off_t offset, fuse_file_info* file) {
  Mount& mount = mount_of(request);
  Opened& opened = opened_of(file);
  if (lost_lock(mount, opened)) return answer(request, EIO);
  const std::unique_ptr<char, decltype(&free)> memory(static_cast<char*>(malloc(size)), &free);
  if (memory == nullptr) return answer(request, ENOMEM);
  const iovec part{memory.get(), size};
  const Extent where{static_cast<uint64_t>(offset), size};
  const auto got = mount.on(*opened.item,
                            [&](const Handle& handle) { return mount.client().read(handle, {&part, 1}, {&where, 1}); });
  if (!got.ok()) return answer(request, got.error());
  fuse_reply_buf(request, memory.get(), (*got)[0]);
}

void write_file(fuse_req_t request, fuse_ino_t, const char* bytes, size_t size, off_t offset, fuse_file_info* file) {
  Mount& mount = mount_of(request);
  Opened& opened = opened_of(file);
  if (lost_lock(mount, opened)) return answer(request, EIO);
  const iovec part{const_cast<char*>(bytes), size};
  const uint32_t flags = file->flags & (O_SYNC | O_DSYNC) ? kThrough : 0;
  // Pages of a map belong where they are.
  if ((file->flags & O_APPEND) && !file->writepage) {
    const int error = mount.on(
        *opened.item, [&](const Handle& handle) { return mount.client().append(handle, {&part, 1}, flags).error(); });
    opened.item->writes.add();
    return error == 0 ? static_cast<void>(fuse_reply_write(request, size)) : answer(request, error);
  }
  const Extent where{static_cast<uint64_t>(offset), size};
  std::vector<BadRange> bad;
  const int error = mount.on(*opened.item, [&](const Handle& handle) {
    bad.clear();
    return mount.client().write(handle, {&part, 1}, {&where, 1}, flags, &bad);
  });
  opened.item->writes.add();  // also one that failed: a part of it, or what came too late, may be held
  const uint64_t put = error == 0 ? size : std::min<uint64_t>(size, stored(where.offset, bad));
  if (error != 0 && put == 0) return answer(request, error);
  fuse_reply_write(request, put);
}

/// Comes with every close() of every descriptor.
void flush_file(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
  Mount& mount = mount_of(request);
  Opened& opened = opened_of(file);
  mount.locks().give_ranges(opened, file->lock_owner);
  if (!opened.may_write) return answer(request, 0);
  const int error =
      opened.item->writes.unsettled() ? mount.commit(*opened.item, &opened, kNoSync) : mount.untold(opened);
  if (error != 0) mount.tell_of_loss(*opened.item);  // nobody looks at what the kernel closes for a program that ends
  answer(request, error);
}

void sync_file(fuse_req_t request, fuse_ino_t, int, fuse_file_info* file) {
  Opened& opened = opened_of(file);
  answer(request, mount_of(request).commit(*opened.item, &opened, 0));
}

/// The last descriptor is closed and nothing is mapped any more.
void release_file(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
  Mount& mount = mount_of(request);
  Opened& opened = opened_of(file);
  mount.locks().give_all(opened);
  // Pages of a map that outlived its descriptors: there is nobody to tell.
  if (opened.item->writes.unsettled() && opened.may_write) {
    const int error = mount.commit(*opened.item, nullptr, kNoSync);
    if (error != 0) mount.tell_of_loss(*opened.item);
    if (opened.item->writes.unsettled()) mount.ask_later(opened.item);
  }
  end(mount, file);
  answer(request, 0);
}

}  // namespace headrace::forward::mount
