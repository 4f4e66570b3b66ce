#include "workload/replay/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/hash.h"
#include "workload/backend/failure.h"
#include "workload/replay/contents.h"

namespace headrace::workload::replay {
namespace {

using base::Status;

constexpr size_t kLongestPart = 255, kLongestName = 2500;
constexpr int kDeepest = 200;  // directories below each other that are emptied

std::string short_name(const std::string& text) {
  char name[32];
  snprintf(name, sizeof name, "long-%016llx", static_cast<unsigned long long>(base::hash_text(text)));
  return name;
}

Status fill(const std::string& path, uint64_t bytes, const std::function<bool()>& stopped) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST) return {};  // another spelling of a name that is there
  if (file < 0) return failure(path + ": cannot be prepared");
  std::vector<uint8_t> block(std::min<uint64_t>(bytes, 1 << 20));
  fill_contents(block.data(), block.size());
  Status status;
  for (uint64_t done = 0; done < bytes && status.ok();) {
    const ssize_t wrote = write(file, block.data(), std::min<uint64_t>(block.size(), bytes - done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) status = failure(path + ": cannot be prepared");
    done += static_cast<uint64_t>(std::max<ssize_t>(wrote, 0));
    if (stopped()) status = {base::Code::kLimit, "interrupted"};
  }
  if (close(file) != 0 && status.ok()) status = failure(path + ": cannot be prepared");
  return status;
}

void empty_directory(int directory, int deep) {
  DIR* names = fdopendir(directory);  // which closes it
  if (names == nullptr) {
    close(directory);
    return;
  }
  while (const dirent* entry = readdir(names)) {
    const char* name = entry->d_name;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
    if (unlinkat(dirfd(names), name, 0) == 0 || errno == ENOENT) continue;
    const int below = openat(dirfd(names), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below >= 0 && deep < kDeepest) {
      empty_directory(below, deep + 1);
    } else if (below >= 0) {
      close(below);
    }
    unlinkat(dirfd(names), name, AT_REMOVEDIR);
  }
  closedir(names);
}

}  // namespace

std::string name_below(const std::string& path) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < path.size();) {
    const size_t end = std::min(path.find('/', at), path.size());
    const std::string part = path.substr(at, end - at);
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
    } else if (!part.empty() && part != ".") {
      const bool fits = part.size() <= kLongestPart && part.find('\0') == part.npos;
      parts.push_back(fits ? part : short_name(part));
    }
    at = end + 1;
  }
  std::string name;
  for (const std::string& part : parts) name += (name.empty() ? "" : "/") + part;
  if (name.empty()) return "root";
  return name.size() <= kLongestName && parts.size() < kDeepest / 2 ? name : short_name(path);
}

Status prepare_tree(const std::string& root, const Recording& job, const Plan& plan, int rank, int ranks,
                    const std::function<bool()>& stopped) {
  size_t number = 0;
  for (const Prepared& what : plan.prepared) {
    const std::string path = root + "/" + name_below(job.paths[what.path]);
    if (what.directory) {
      if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) return failure(path + ": cannot be prepared");
    } else if (static_cast<int>(number++ % static_cast<size_t>(ranks)) == rank) {
      HEADRACE_TRY(fill(path, what.bytes, stopped));
    }
  }
  return {};
}

void empty_tree(const std::string& root) {
  const int directory = open(root.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory >= 0) empty_directory(directory, 0);
}

}  // namespace headrace::workload::replay
