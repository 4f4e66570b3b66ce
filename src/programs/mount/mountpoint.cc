#include "programs/mount/mountpoint.h"

#include <dirent.h>
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <memory>

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;

bool is_mount_of_headrace(const std::string& path) {
  const std::unique_ptr<FILE, decltype(&endmntent)> list(setmntent("/proc/self/mounts", "re"), &endmntent);
  mntent entry;
  char names[3 * 4096];
  while (list != nullptr && getmntent_r(list.get(), &entry, names, sizeof names) != nullptr) {
    if (path == entry.mnt_dir && strcmp(entry.mnt_type, "fuse.headrace") == 0) return true;
  }
  return false;
}

/// The name of something in it, "" = nothing. An error where that cannot be read.
Result<std::string> something_in(const std::string& path) {
  DIR* directory = opendir(path.c_str());
  if (directory == nullptr) return base::invalid(path + ": " + strerror(errno));
  std::string found;
  for (const dirent* entry; found.empty() && (entry = readdir(directory)) != nullptr;) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") found = name;
  }
  closedir(directory);
  return found;
}

}  // namespace

Result<std::string> find_mountpoint(const std::string& path) {
  const std::unique_ptr<char, decltype(&free)> resolved(realpath(path.c_str(), nullptr), &free);
  if (resolved == nullptr && errno == ENOTCONN)
    return base::invalid(path + ": is a mount whose process is gone; `fusermount3 -u " + path + "` takes it away");
  if (resolved == nullptr)
    return base::invalid(path + ": " + strerror(errno) + (errno == ENOENT ? "; make an empty directory there" : ""));
  const std::string text = resolved.get();
  struct stat status;
  if (stat(text.c_str(), &status) != 0) return base::invalid(text + ": " + strerror(errno));
  if (!S_ISDIR(status.st_mode)) return base::invalid(text + ": is not a directory");
  if (is_mount_of_headrace(text))
    return base::invalid(text + ": something is mounted there already; `headrace mount --unmount " + text +
                         "` takes it away");
  HEADRACE_ASSIGN(const std::string name, something_in(text));
  if (!name.empty())
    return base::invalid(text + ": is not empty: the mount would hide " + name +
                         " and what else is in it; give an empty directory");
  return text;
}

Status check_not_served(forward::Client& servers, const std::string& mountpoint) {
  for (const forward::OwnedRoot& root : servers.roots()) {
    const std::string inside = root.path.ends_with('/') ? root.path : root.path + "/";
    struct stat here, at;
    // Servers on another node may have another directory of that name, and a root is one file system.
    if (!(mountpoint + "/").starts_with(inside) || stat(root.path.c_str(), &here) != 0) continue;
    if (stat(mountpoint.c_str(), &at) != 0 || at.st_dev != here.st_dev) continue;
    const auto there = servers.attributes(root.handle);
    if (there.ok() && there->inode == here.st_ino)
      return base::invalid(mountpoint + ": is in " + root.path +
                           ", which the servers serve, so it would show itself; give an empty directory elsewhere");
  }
  return {};
}

}  // namespace headrace::programs
