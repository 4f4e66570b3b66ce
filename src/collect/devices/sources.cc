#include "collect/devices/sources.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "collect/devices/diskstats.h"
#include "collect/devices/lustre_stats.h"

namespace headrace::collect {
namespace {

using base::Code;

/// Targets come and go with mounts: so often is it looked whether there are others.
constexpr int64_t kSearchUs = 10'000'000;

/// Nothing tells that a disk joined or left an array: so often is it looked, at some 9 us of a processor a disk.
constexpr int64_t kDoubtUs = 60'000'000;

/// Where versions of Lustre have their files. One that is in several is read in the first.
constexpr const char* kPlaces[] = {"/proc/fs/lustre/", "/sys/kernel/debug/lustre/", "/sys/fs/lustre/"};

std::string without_slash(std::string path) {
  while (!path.empty() && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

Sources::Sources(SourceSettings settings)
    : settings_(std::move(settings)),
      filter_(settings_.keep, settings_.leave_out,
              settings_.diskstats.empty() ? without_slash(settings_.root) + "/sys/block" : ""),
      diskstats_(settings_.diskstats.empty() ? without_slash(settings_.root) + "/proc/diskstats"
                                             : settings_.diskstats) {}

void Sources::look(Moment now, Look& look, std::vector<std::string>& problems) {
  look.begin(now);
  if (now.boot_us - decided_us_ >= kDoubtUs) {
    filter_.doubt();
    decided_us_ = now.boot_us;
  }
  const auto text = diskstats_.read();
  if (text.ok()) {
    parse_diskstats(*text, filter_, look);
  } else {
    look.whole = false;
    problems.push_back(text.status().message());
  }
  if (!settings_.lustre) return;
  if (!searched_ || now.boot_us - searched_us_ >= kSearchUs) {
    find_targets();
    searched_ = true;
    searched_us_ = now.boot_us;
  }
  for (auto& [path, target] : targets_) look_at(target, look, problems);
}

void Sources::find_targets() {
  for (auto& [path, target] : targets_) target.seen = false;
  const std::string root = without_slash(settings_.root);
  for (const char* place : kPlaces) {
    if (access((root + place).c_str(), F_OK) != 0) continue;  // of most hosts none
    find_targets_in(root + place + "obdfilter", Kind::kLustreOst, "stats");
    find_targets_in(root + place + "mdt", Kind::kLustreMdt, "md_stats");
    find_targets_in(root + place + "llite", Kind::kLustreLlite, "stats");
  }
  std::erase_if(targets_, [](const auto& target) { return !target.second.seen; });
}

void Sources::find_targets_in(const std::string& directory, Kind kind, const char* stats) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(directory, error), last; !error && at != last; at.increment(error)) {
    const std::string path = at->path().string(), device = at->path().filename().string();
    if (access((path + "/" + stats).c_str(), F_OK) != 0) continue;
    if (const auto known = targets_.find(path); known != targets_.end()) {
      known->second.seen = true;
      continue;
    }
    const bool elsewhere = std::any_of(targets_.begin(), targets_.end(), [&](const auto& other) {
      return other.second.seen && other.second.kind == kind && other.second.device == device;
    });
    if (elsewhere) continue;
    const bool has_jobs = access((path + "/job_stats").c_str(), F_OK) == 0;
    targets_.emplace(path,
                     Target{kind, device, TextFile(path + "/" + stats), TextFile(path + "/job_stats"), has_jobs, true});
  }
}

void Sources::look_at(Target& target, Look& look, std::vector<std::string>& problems) {
  const auto text = target.stats.read();
  if (!text.ok()) {
    // It went with its mount, which is seen at the next search; anything else is worth a word.
    if (text.code() != Code::kNotFound) problems.push_back(text.status().message());
    if (text.code() != Code::kNotFound) look.whole = false;
    return;
  }
  Counters counters;
  if (const uint64_t garbled = parse_lustre_stats(*text, counters); garbled != 0) {
    look.garbled += garbled;
    look.whole = false;
    return;  // half of the counters would look as if the others had gone back
  }
  Reading& reading = look.add_device();
  reading.kind = target.kind;
  reading.device = target.device;
  reading.counters = counters;
  reading.was_there = false;
  if (!target.has_jobs) return;
  const auto jobs = target.jobs.read();
  if (jobs.ok()) {
    parse_job_stats(*jobs, target.device, look);
  } else {
    look.whole = false;  // or jobs would count from 0 when it is there again
    if (jobs.code() != Code::kNotFound) problems.push_back(jobs.status().message());
  }
}

}  // namespace headrace::collect
