#include "programs/headrace/leftovers.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "capture/harvest/job_facts.h"
#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

constexpr size_t kRandomLetters = 6;     // of mkdtemp, for jobs with a launcher on this node
constexpr size_t kIdentityLetters = 16;  // of others (settings.cc of the recorder)

std::string shared_name() { return "headrace-" + std::to_string(geteuid()); }

/// /tmp is everybody's: another user may have put a directory, or a link to one, under our name.
bool is_ours(const std::string& path) {
  struct stat info;
  return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

void add_jobs(const std::string& place, std::vector<std::string>* found) {
  DIR* stream = opendir(place.c_str());
  if (stream == nullptr) return;
  const std::string prefix = shared_name() + "-";
  std::vector<std::string> jobs;
  while (const dirent* entry = readdir(stream)) {
    const std::string name = entry->d_name;
    const std::string path = place + "/" + name;
    // The launcher takes its lock before it writes the file: a directory without it may be about to be locked.
    const size_t letters = name.starts_with(prefix) ? name.size() - prefix.size() : 0;
    if ((letters == kRandomLetters || letters == kIdentityLetters) && is_ours(path) &&
        access((path + "/" + capture::kJobFactsFile).c_str(), F_OK) == 0) {
      jobs.push_back(path);
    }
  }
  closedir(stream);
  std::sort(jobs.begin(), jobs.end());
  found->insert(found->end(), jobs.begin(), jobs.end());
}

}  // namespace

std::vector<std::string> directories_of_user(const std::string& configured) {
  const char* variable = getenv("HEADRACE_SPOOL");
  std::vector<std::string> places = spool_places(configured);
  if (variable != nullptr && *variable != '\0') places = {variable};
  std::vector<std::string> searched, found;
  for (const std::string& place : places) {
    char real[4096];  // $TMPDIR is often /tmp, and /tmp may be a link
    const std::string name = place.size() < sizeof real && realpath(place.c_str(), real) != nullptr ? real : place;
    if (std::find(searched.begin(), searched.end(), name) != searched.end()) continue;
    searched.push_back(name);
    add_jobs(name, &found);
  }
  for (const std::string& place : searched) {
    if (is_ours(place + "/" + shared_name())) found.push_back(place + "/" + shared_name());
  }
  return found;
}

std::vector<std::string> directories_in(const std::string& place) {
  std::vector<std::string> found;
  add_jobs(place, &found);
  if (const std::string shared = place + "/" + shared_name(); is_ours(shared)) found.push_back(shared);
  return found;
}

bool is_shared_directory(const std::string& path) {
  return path == shared_name() || path.ends_with("/" + shared_name());
}

}  // namespace headrace::programs
