// Listing of directories, and what is asked of the mount itself by one.
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "forward/mount/control.h"
#include "forward/mount/operations.h"
#include "forward/program/attributes.h"

namespace headrace::forward::mount {
namespace {

/// A part of the listing. A place in it is what the server calls it, so nothing else has to be remembered.
struct OpenDirectory {
  std::mutex mutex;
  uint64_t from = 0;  // the cookie in front of `part`
  std::vector<OwnedEntry> part;
  bool has_part = false;
};

OpenDirectory& directory_of(const fuse_file_info* file) { return *reinterpret_cast<OpenDirectory*>(file->fh); }

/// Has what is behind `cookie` in `part`, from the index that it gives; an error number.
int seek(Mount& mount, Item& item, OpenDirectory& directory, uint64_t cookie, size_t* index) {
  *index = 0;
  // The start is asked for again, since that is how a program sees what is new.
  if (directory.has_part && directory.from == cookie && cookie != 0) return 0;
  for (size_t i = 0; directory.has_part && cookie != 0 && i + 1 < directory.part.size(); ++i) {
    if (directory.part[i].cookie != cookie) continue;
    *index = i + 1;
    return 0;
  }
  auto part = mount.on(item, [&](const Handle& handle) { return mount.client().list_from(handle, cookie); });
  if (!part.ok()) return part.error();
  directory.part = std::move(*part);
  directory.from = cookie;
  directory.has_part = true;
  return 0;
}

/// Entries behind `cookie`, as many as there is room for; an error number.
int list(fuse_req_t request, Item& item, OpenDirectory& directory, uint64_t cookie, std::vector<char>* bytes,
         size_t* used) {
  const std::lock_guard<std::mutex> lock(directory.mutex);
  size_t index = 0;
  if (const int error = seek(mount_of(request), item, directory, cookie, &index); error != 0) return error;
  for (; index < directory.part.size(); ++index) {
    const OwnedEntry& entry = directory.part[index];
    struct stat status = {};
    status.st_ino = entry.inode;
    status.st_mode = DTTOIF(entry.type);
    const size_t room = bytes->size() - *used;
    const size_t needed = fuse_add_direntry(request, bytes->data() + *used, room, entry.name.c_str(), &status,
                                            static_cast<off_t>(entry.cookie));
    if (needed > room) break;
    *used += needed;
  }
  return 0;
}

}  // namespace

void open_directory(fuse_req_t request, fuse_ino_t id, fuse_file_info* file) {
  Mount& mount = mount_of(request);
  const ItemRef item = mount.items().find(id);
  if (item == nullptr) return answer(request, ESTALE);
  const auto attributes = mount.attributes(*item);
  int error = attributes.error();
  if (error == 0) error = S_ISDIR(attributes->mode) ? program::check_access(*attributes, R_OK) : ENOTDIR;
  if (error != 0) return answer(request, error);
  auto* directory = new OpenDirectory;
  file->fh = reinterpret_cast<uint64_t>(directory);
  if (fuse_reply_open(request, file) != 0) delete directory;
}

void read_directory(fuse_req_t request, fuse_ino_t id, size_t size, off_t offset, fuse_file_info* file) {
  const ItemRef item = mount_of(request).items().find(id);
  if (item == nullptr) return answer(request, ESTALE);
  std::vector<char> bytes(size);
  size_t used = 0;
  const int error = list(request, *item, directory_of(file), static_cast<uint64_t>(offset), &bytes, &used);
  // When it is answered the directory may be closed at once by another thread.
  if (error != 0) return answer(request, error);
  fuse_reply_buf(request, bytes.data(), used);
}

void release_directory(fuse_req_t request, fuse_ino_t, fuse_file_info* file) {
  delete &directory_of(file);
  answer(request, 0);
}

void sync_directory(fuse_req_t request, fuse_ino_t, int, fuse_file_info*) { answer(request, 0); }

void control(fuse_req_t request, fuse_ino_t, unsigned command, void*, fuse_file_info*, unsigned, const void*, size_t,
             size_t) {
  if (command != kFinish) return answer(request, ENOTTY);
  Report report = {};
  report.process = getpid();
  Mount& mount = mount_of(request);
  const auto unknown = mount.commit_all();
  const std::string text = mount.lost().lines(unknown, sizeof report.lost - 1);
  memcpy(report.lost, text.data(), text.size());
  fuse_reply_ioctl(request, 0, &report, sizeof report);
}

}  // namespace headrace::forward::mount
