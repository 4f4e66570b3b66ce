#include "events/trace_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace headrace::events {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr char kDirectory[] = ".d";

bool is_file_name(const std::string& name) { return name.size() > 3 && name.ends_with(".hr") && name[0] != '.'; }

Status failure(const std::string& path, const char* what) {
  return {Code::kIo, path + ": cannot " + what + ": " + strerror(errno)};
}

/// Only files that can be a trace's; others keep the directory.
void remove_other_files(const std::string& trace) {
  const auto files = other_files(trace);
  for (const std::string& file : files.ok() ? *files : std::vector<std::string>()) unlink(file.c_str());
  rmdir(trace_directory(trace).c_str());
}

}  // namespace

std::string trace_directory(const std::string& trace) { return trace + kDirectory; }

std::string trace_of_path(const std::string& path) {
  struct stat info{};
  std::string plain = path;
  while (plain.size() > 1 && plain.back() == '/') plain.pop_back();
  const bool is_directory = plain.ends_with(kDirectory) && stat(plain.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  return is_directory ? plain.substr(0, plain.size() - strlen(kDirectory)) : path;
}

Result<std::vector<std::string>> other_files(const std::string& trace) {
  const std::string path = trace_directory(trace);
  std::vector<std::string> files;
  DIR* directory = opendir(path.c_str());
  if (directory == nullptr) {
    if (errno == ENOENT || errno == ENOTDIR) return files;
    return failure(path, "read the directory");
  }
  while (const dirent* entry = readdir(directory)) {
    struct stat info{};
    const std::string name = entry->d_name;
    if (is_file_name(name) && fstatat(dirfd(directory), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(info.st_mode))
      files.push_back(path + "/" + name);
  }
  closedir(directory);
  std::sort(files.begin(), files.end());
  return files;
}

Status move_other_files(const std::string& from, const std::string& to) {
  const std::string here = trace_directory(from), there = trace_directory(to);
  remove_other_files(to);
  if (access(here.c_str(), F_OK) != 0 || rename(here.c_str(), there.c_str()) == 0) return {};
  return failure(here, ("give the directory the name " + there).c_str());
}

}  // namespace headrace::events
