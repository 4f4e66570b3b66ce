#include "programs/headrace/command_end.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "programs/headrace/messages.h"

namespace headrace::programs {
namespace {

constexpr uint64_t kGraceNs = 10'000'000'000;
constexpr timespec kPause = {1, 0};

pid_t parent_of(pid_t pid) {
  char text[512] = {};
  FILE* file = fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "re");
  const size_t size = file != nullptr ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file != nullptr) fclose(file);
  // The name between the parentheses may have any others.
  const char* behind = size > 0 ? strrchr(text, ')') : nullptr;
  int parent = 0;
  return behind != nullptr && sscanf(behind + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/// Headrace's own, which end by themselves, and store what they know of others before.
bool is_own(pid_t pid) {
  struct stat own, other;
  return stat("/proc/self/exe", &own) == 0 && stat(("/proc/" + std::to_string(pid) + "/exe").c_str(), &other) == 0 &&
         own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

/// What a process has started, and what that has; orphans among them are its own children.
std::vector<pid_t> all_below(pid_t top) {
  std::multimap<pid_t, pid_t> children;
  DIR* all = opendir("/proc");
  while (const dirent* entry = all != nullptr ? readdir(all) : nullptr) {
    const auto pid = static_cast<pid_t>(strtol(entry->d_name, nullptr, 10));
    if (pid > 0) children.emplace(parent_of(pid), pid);
  }
  if (all != nullptr) closedir(all);
  std::vector<pid_t> found = {top};
  for (size_t i = 0; i < found.size(); ++i) {
    const auto [begin, end] = children.equal_range(found[i]);
    for (auto each = begin; each != end; ++each)
      if (std::find(found.begin(), found.end(), each->second) == found.end()) found.push_back(each->second);
  }
  found.erase(found.begin());
  std::erase_if(found, is_own);
  return found;
}

}  // namespace

void CommandEnd::begin() {
  if (kill_at_ns_ != 0) return;
  say("the command is ended, since it would wait for what is gone, or go on without it");
  kill_at_ns_ = base::clock_ns(CLOCK_MONOTONIC) + kGraceNs;
  for (const pid_t pid : all_below(run_)) kill(pid, SIGTERM);
}

int CommandEnd::wait(const sigset_t& signals, siginfo_t* info) {
  const int signal = sigtimedwait(&signals, info, &kPause);
  if (kill_at_ns_ == 0 || base::clock_ns(CLOCK_MONOTONIC) < kill_at_ns_) return signal;
  for (const pid_t pid : all_below(run_)) kill(pid, SIGKILL);
  return signal;
}

}  // namespace headrace::programs
