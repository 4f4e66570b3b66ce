#include "collect/devices/host_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

namespace headrace::collect {

std::vector<std::string> names_with(const std::string& directory, const std::string& end) {
  std::vector<std::string> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), last; !error && at != last; at.increment(error)) {
    const std::string path = at->path().string();
    if (path.ends_with(end)) found.push_back(path.substr(0, path.size() - end.size()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::pair<int64_t, std::string>> finished_files(const std::string& directory) {
  std::vector<std::pair<int64_t, std::string>> finished;
  for (const std::string& base : names_with(directory, ".hr")) {
    struct stat facts{};
    if (base.ends_with(".open") || base.ends_with(".tail") || stat((base + ".hr").c_str(), &facts) != 0) continue;
    finished.emplace_back(facts.st_mtime, base + ".hr");
  }
  std::sort(finished.begin(), finished.end());
  return finished;
}

}  // namespace headrace::collect
