// Names: looking up, making, removing, renaming.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "forward/mount/operations.h"

namespace headrace::forward::mount {

fuse_entry_param entry_of(Mount& mount, Item& item, const Attributes& attributes) {
  fuse_entry_param entry = {};  // timeouts of 0: others may change anything at any moment
  entry.ino = item.id;
  mount.fill(item, attributes, &entry.attr);
  return entry;
}

void answer_entry(fuse_req_t request, fuse_ino_t directory, const char* name, Outcome<Node> node) {
  if (!node.ok()) return answer(request, node.error());
  Mount& mount = mount_of(request);
  const ItemRef item = mount.items().found(directory, name, *node);
  const fuse_entry_param entry = entry_of(mount, *item, node->attributes);
  if (fuse_reply_entry(request, &entry) != 0) mount.items().forget(item->id, 1);
}

namespace {

/// Does `act(handle)` on a directory that the kernel knows; gives a node or an error number.
template <typename Act>
auto in_directory(fuse_req_t request, fuse_ino_t directory, Act act) -> decltype(act(std::declval<const Handle&>())) {
  Mount& mount = mount_of(request);
  const ItemRef item = mount.items().find(directory);
  if (item == nullptr) {
    if constexpr (std::is_same_v<decltype(act(std::declval<const Handle&>())), int>)
      return ESTALE;
    else
      return Failed{ESTALE};
  }
  return mount.on(*item, act);
}

/// What has to be known of an open file that is about to lose a name.
struct Losing {
  ItemRef item;
  bool last = false;  // name

  Losing(Mount& mount, fuse_ino_t directory, const char* name) : item(mount.items().known(directory, name)) {
    if (item == nullptr || item->opens == 0 || item->is_directory) return;
    const auto now = mount.attributes(*item);
    if (!now.ok() || now->links > 1) return;
    last = true;
    const std::lock_guard<std::mutex> lock(item->mutex);
    item->last = *now;
  }
  void lost(Mount& mount) const {
    if (last) mount.items().set_removed(item);
  }
};

int remove(fuse_req_t request, fuse_ino_t directory, const char* name, bool is_directory) {
  Mount& mount = mount_of(request);
  const Losing losing(mount, directory, name);
  const int error = in_directory(
      request, directory, [&](const Handle& handle) { return mount.client().remove(handle, name, is_directory); });
  if (error != 0) return error;
  losing.lost(mount);
  mount.items().gone(directory, name);
  return 0;
}

}  // namespace

void look_up(fuse_req_t request, fuse_ino_t directory, const char* name) {
  Mount& mount = mount_of(request);
  auto node = in_directory(request, directory,
                           [&](const Handle& handle) { return mount.client().lookup(handle, name, false); });
  if (node.error() == ENOENT) mount.items().gone(directory, name);
  answer_entry(request, directory, name, std::move(node));
}

void forget(fuse_req_t request, fuse_ino_t id, uint64_t times) {
  mount_of(request).items().forget(id, times);
  fuse_reply_none(request);
}

void forget_many(fuse_req_t request, size_t count, fuse_forget_data* items) {
  for (size_t i = 0; i < count; ++i) mount_of(request).items().forget(items[i].ino, items[i].nlookup);
  fuse_reply_none(request);
}

void make_node(fuse_req_t request, fuse_ino_t directory, const char* name, mode_t mode, dev_t) {
  Mount& mount = mount_of(request);
  answer_entry(request, directory, name, in_directory(request, directory, [&](const Handle& handle) {
                 return mount.client().create(handle, name, kExclusive, mode);
               }));
}

void make_directory(fuse_req_t request, fuse_ino_t directory, const char* name, mode_t mode) {
  Mount& mount = mount_of(request);
  answer_entry(request, directory, name, in_directory(request, directory, [&](const Handle& handle) {
                 return mount.client().mkdir(handle, name, mode & 07777);
               }));
}

void make_symlink(fuse_req_t request, const char* target, fuse_ino_t directory, const char* name) {
  Mount& mount = mount_of(request);
  const std::string there = mount.target_there(target);
  answer_entry(request, directory, name, in_directory(request, directory, [&](const Handle& handle) {
                 return mount.client().symlink(handle, name, there);
               }));
}

void make_link(fuse_req_t request, fuse_ino_t id, fuse_ino_t directory, const char* name) {
  Mount& mount = mount_of(request);
  const ItemRef item = mount.items().find(id);
  if (item == nullptr) return answer(request, ESTALE);
  const int error = in_directory(request, directory, [&](const Handle& to) {
    return mount.on(*item, [&](const Handle& handle) { return mount.client().link(handle, to, name); });
  });
  if (error != 0) return answer(request, error);
  answer_entry(request, directory, name, in_directory(request, directory, [&](const Handle& handle) {
                 return mount.client().lookup(handle, name, false);
               }));
}

void read_link(fuse_req_t request, fuse_ino_t id) {
  Mount& mount = mount_of(request);
  const ItemRef item = mount.items().find(id);
  if (item == nullptr) return answer(request, ESTALE);
  const auto target = mount.on(*item, [&](const Handle& handle) { return mount.client().readlink(handle); });
  if (!target.ok()) return answer(request, target.error());
  fuse_reply_readlink(request, mount.target_here(*target).c_str());
}

void unlink_name(fuse_req_t request, fuse_ino_t directory, const char* name) {
  answer(request, remove(request, directory, name, false));
}

void remove_directory(fuse_req_t request, fuse_ino_t directory, const char* name) {
  answer(request, remove(request, directory, name, true));
}

void rename_name(fuse_req_t request, fuse_ino_t directory, const char* name, fuse_ino_t to, const char* new_name,
                 unsigned flags) {
  if ((flags & ~static_cast<unsigned>(RENAME_NOREPLACE)) != 0) return answer(request, EINVAL);
  Mount& mount = mount_of(request);
  const Losing losing(mount, to, new_name);
  const int error = in_directory(request, directory, [&](const Handle& from) {
    return in_directory(request, to, [&](const Handle& target) {
      return mount.client().rename(from, name, target, new_name, !(flags & RENAME_NOREPLACE));
    });
  });
  if (error != 0) return answer(request, error);
  // Two names of one file stay as they are.
  if (mount.items().known(directory, name) != losing.item || losing.item == nullptr) {
    losing.lost(mount);
    mount.items().renamed(directory, name, to, new_name);
  }
  answer(request, 0);
}

}  // namespace headrace::forward::mount
