#include "programs/headrace/server_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;

Status directory_error(const std::string& what) { return {Code::kIo, what + ": " + strerror(errno)}; }

void remove_directory(const std::string& path) {
  DIR* directory = opendir(path.c_str());
  while (const dirent* entry = directory != nullptr ? readdir(directory) : nullptr) {
    if (entry->d_name[0] != '.') unlinkat(dirfd(directory), entry->d_name, 0);
  }
  if (directory != nullptr) closedir(directory);
  rmdir(path.c_str());
}

}  // namespace

Result<std::unique_ptr<ServerDirectory>> ServerDirectory::make(const std::vector<std::string>& places, size_t longest) {
  std::string tried;
  for (const std::string& place : places) {
    std::string path = place + "/headrace-forward-XXXXXX";
    tried += (tried.empty() ? "" : ", ") + place;
    if (path.size() > longest || mkdtemp(path.data()) == nullptr) continue;
    std::unique_ptr<ServerDirectory> made(new ServerDirectory(std::move(path)));
    HEADRACE_TRY(made->watch());
    return made;
  }
  return directory_error("no directory for the servers can be made in " + tried);
}

/// A process that removes the directory when this one and all servers are gone, were they killed or not.
Status ServerDirectory::watch() {
  if (pipe2(alive_, O_CLOEXEC) != 0) return directory_error("pipe");
  watcher_ = fork();
  if (watcher_ < 0) return directory_error("cannot start a process");
  if (watcher_ > 0) return {};
  setsid();
  const int wait = dup2(alive_[0], 0);
  close_range(1, ~0U, 0);
  char byte;
  while (read(wait, &byte, 1) < 0 && errno == EINTR) {
  }
  remove_directory(path_);
  _exit(0);
}

ServerDirectory::~ServerDirectory() {
  for (const int end : alive_)
    if (end >= 0) close(end);
  if (watcher_ > 0)
    waitpid(watcher_, nullptr, 0);
  else
    remove_directory(path_);
}

std::vector<std::string> ServerDirectory::names(const std::string& begin) const {
  std::vector<std::string> found;
  DIR* directory = opendir(path_.c_str());
  while (const dirent* entry = directory != nullptr ? readdir(directory) : nullptr) {
    const std::string name = entry->d_name;
    if (name.starts_with(begin) && !name.ends_with(".part")) found.push_back(name);
  }
  if (directory != nullptr) closedir(directory);
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace headrace::programs
