// The calls of the C library that a replay makes on names, and on attributes of what is open.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "workload/replay/player.h"

namespace headrace::workload::replay {
namespace {

// What a replay gives all files: traces have no permissions, and others need not see them.
constexpr mode_t kMode = 0700;

int look_through(const char* name) {
  dirent** names = nullptr;
  const int count = scandir(name, &names, nullptr, nullptr);
  for (int i = 0; i < count; ++i) free(names[i]);
  if (count >= 0) free(names);
  return count < 0 ? -1 : 0;
}

/// A call that failed since the new name was there does so again, and takes nothing away.
int rename_to(const char* from, const char* to, bool is_there) {
  return is_there ? renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) : rename(from, to);
}

/// A target beside or below the link moves with their directory. Any other is whole: dots would lead out of the
/// replay's directory where a link's own is moved up.
const char* target_of(const char* link, const char* target) {
  const size_t directory = static_cast<size_t>(strrchr(link, '/') - link) + 1;
  return strncmp(link, target, directory) == 0 && target[directory] != '\0' ? target + directory : target;
}

}  // namespace

int64_t Player::on_name(const Step& step) {
  const char *name = path(step.path), *function = job_.functions[step.function].done.function;
  const char* other = has_two_names(step.action) && step.from < paths_.size() ? path(step.from) : name;
  struct stat info;
  struct statfs system;
  char text[PATH_MAX];
  switch (step.action) {
    case Action::kResizeName:
      return truncate(name, static_cast<off_t>(step.offset));
    case Action::kLookName:  // one that failed may have been of where a link leads
      return strcmp(function, "lstat") == 0 && !step.failed ? lstat(name, &info) : stat(name, &info);
    case Action::kAccess:
      return access(name, F_OK);
    case Action::kReadLink:
      return readlink(name, text, sizeof text);
    case Action::kResolve:
      return realpath(name, text) == nullptr ? -1 : 0;
    case Action::kLimitOf:
      return pathconf(name, _PC_NAME_MAX) < 0 ? -1 : 0;
    case Action::kSystemOf:
      return statfs(name, &system);
    case Action::kScan:
      return look_through(name);
    case Action::kRemove:  // what is no file was removed as a directory, by its flags
      return strcmp(function, "remove") == 0 ? remove(name) : unlink(name);
    case Action::kRename:
      return rename_to(name, other, step.offset == EEXIST);
    case Action::kLink:
      return link(other, name);
    case Action::kSymbolicLink:
      return symlink(target_of(name, other), name);
    case Action::kMakeNode:  // a pipe would let the replay wait for its other end
      return mknod(name, S_IFREG | 0600, 0);
    case Action::kMakeDirectory:
      return mkdir(name, 0777);
    case Action::kRemoveDirectory:
      return rmdir(name);
    default:
      return on_attributes(step);
  }
}

int64_t Player::on_attributes(const Step& step) {
  const char* name = path(step.path);
  switch (step.action) {
    case Action::kChangeMode:
      return chmod(name, kMode);
    case Action::kChangeOwner:
      return lchown(name, static_cast<uid_t>(-1), static_cast<gid_t>(-1));
    case Action::kChangeTimes:
      return utimensat(AT_FDCWD, name, nullptr, AT_SYMLINK_NOFOLLOW);
    case Action::kListAttributes:
      return llistxattr(name, nullptr, 0) < 0 ? -1 : 0;
    default:
      return 0;
  }
}

int64_t Player::on_attributes_open(const Step& step, int file) {
  switch (step.action) {
    case Action::kChangeModeOpen:
      return fchmod(file, kMode);
    case Action::kChangeOwnerOpen:
      return fchown(file, static_cast<uid_t>(-1), static_cast<gid_t>(-1));
    case Action::kChangeTimesOpen:
      return futimens(file, nullptr);
    case Action::kListAttributesOpen:
      return flistxattr(file, nullptr, 0) < 0 ? -1 : 0;
    default:
      return 0;
  }
}

}  // namespace headrace::workload::replay
