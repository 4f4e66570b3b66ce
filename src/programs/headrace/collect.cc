#include "programs/headrace/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "capture/harvest/job_facts.h"
#include "capture/harvest/log_output.h"
#include "capture/harvest/spool_directory.h"
#include "programs/headrace/collect_directory.h"
#include "programs/headrace/exit_status.h"
#include "programs/headrace/leftovers.h"
#include "programs/headrace/merge_logs.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/options.h"
#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;

/// Of jobs and of programs without a launcher. Other directories have files named `job`, too.
bool has_records(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool has =
      capture::are_of_a_job(capture::read_job_facts(descriptor)) || !capture::list_spools(descriptor).empty();
  close(descriptor);
  return has;
}

Status refuse_several(const std::string& names) {
  return {Code::kInvalid,
          "--output names one log, but there are records of several jobs; name those that are to be in it, or give no "
          "--output:" +
              names};
}

/// HEADRACE_SPOOL and --spool name a place, in which records have a directory of their own; people know the place.
/// Those of launchers that still work are theirs. kInvalid: who named the place did not mean to join several jobs.
Status look_into_places(CollectSettings& settings) {
  std::vector<std::string> found;
  for (const std::string& path : settings.sources) {
    std::vector<std::string> below;
    if (!is_log_file(path) && !has_records(path)) below = directories_in(path);
    const auto is_at_work = [](const std::string& each) { return JobDirectory::open(each).code() == Code::kLimit; };
    below.erase(std::remove_if(below.begin(), below.end(), is_at_work), below.end());
    if (below.size() > 1 && !settings.output.empty()) {
      std::string names;
      for (const std::string& each : below) names += " " + each;
      return refuse_several(names);
    }
    if (below.empty())
      found.push_back(path);
    else
      found.insert(found.end(), below.begin(), below.end());
  }
  settings.sources = std::move(found);
  return {};
}

/// Collects the directories that were named, each into the log of its job.
bool collect_named(const CollectSettings& settings) {
  bool all = true;
  for (const std::string& path : settings.sources) {
    auto opened = JobDirectory::open(path);
    if (!opened.ok()) say(opened.message());
    all &= opened.ok() && collect_directory(*opened, settings, "");
  }
  return all;
}

/// Collects all that was named, logs and directories, into one log.
int collect_into_one(const CollectSettings& settings) {
  std::vector<std::string> logs;
  std::vector<JobDirectory> directories;
  for (const std::string& path : settings.sources) {
    if (is_log_file(path)) {
      logs.push_back(path);
      continue;
    }
    auto opened = JobDirectory::open(path);
    if (!opened.ok()) {
      say(opened.message());
      return 1;
    }
    directories.push_back(std::move(*opened));
  }
  auto start = earliest_start(logs);
  uint64_t start_utc_ns = start.ok() ? *start : 0;
  for (const JobDirectory& each : directories) start_utc_ns = std::min(start_utc_ns, start_of(each).realtime_ns);
  const std::string output = absolute_path(settings.output);
  const Status merged = start.ok() ? merge_logs(logs, output, start_utc_ns) : start.status();
  if (!merged.ok()) {
    say(merged.message());
    return merged.code() == Code::kInvalid ? kMistake : 1;
  }
  if (!settings.quiet && !logs.empty()) say(output + ": " + std::to_string(logs.size()) + " logs merged");
  bool all = true;
  for (JobDirectory& each : directories) all &= collect_directory(each, settings, output);
  return all ? 0 : 1;
}

/// Collects whatever this user's programs left behind, and returns the exit status.
int collect_all(const CollectSettings& settings) {
  std::vector<JobDirectory> left;
  std::string names;
  for (const std::string& path : directories_of_user(settings.site.spool)) {
    // The lock tells a live launcher or background collector, whatever became of the pids of that time.
    auto opened = JobDirectory::open(path);
    if (!opened.ok()) continue;
    if (is_shared_directory(path) && capture::list_spools(opened->descriptor()).empty()) {
      rmdir(path.c_str());
      continue;
    }
    names += " " + path;
    left.push_back(std::move(*opened));
  }
  if (left.empty() && !settings.quiet) say("nothing to collect: no program of yours left records behind");
  if (left.size() > 1 && !settings.output.empty()) {
    say(refuse_several(names).message());
    return kMistake;
  }
  bool all = true;
  for (JobDirectory& directory : left) all &= collect_directory(directory, settings, "");
  return all ? 0 : 1;
}

Status check_named(const std::string& path) {
  const std::string next = "; give a directory of records, a log, or none to collect all that is yours";
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return {Code::kInvalid, path + ": " + strerror(errno) + next};
  if (S_ISDIR(info.st_mode) || is_log_file(path)) return {};
  if (S_ISREG(info.st_mode) && info.st_size == 0) return {Code::kInvalid, path + ": is empty, and so no log" + next};
  return {Code::kInvalid, path + ": is neither a Headrace log nor a directory" + next};
}

bool has_log(const CollectSettings& settings) {
  return std::any_of(settings.sources.begin(), settings.sources.end(), is_log_file);
}

/// All goes into one log.
bool joins(const CollectSettings& settings) {
  return has_log(settings) || (settings.sources.size() > 1 && !settings.output.empty());
}

/// Sources are afterwards what is to be collected.
Status check_settings(CollectSettings& settings) {
  if (!settings.output.empty()) HEADRACE_TRY(capture::LogOutput::check_output(settings.output));
  for (const std::string& source : settings.sources) HEADRACE_TRY(check_named(source));
  HEADRACE_TRY(look_into_places(settings));
  if (has_log(settings) && settings.output.empty()) {
    const std::string& log = settings.sources.front();
    if (settings.sources.size() > 1) return {Code::kInvalid, "to merge logs, name the new one with -o FILE"};
    return {Code::kInvalid,
            log + ": is a log already, so nothing of it is left to collect: `headrace show " + log +
                "` shows it. Give the directory of records that belongs to it, or more logs and -o FILE, "
                "to put them together"};
  }
  if (settings.anonymize && joins(settings))
    return {Code::kInvalid, "--anonymize: collect without it, then use `headrace anonymize` on the log"};
  return {};
}

}  // namespace

int collect(const std::vector<std::string>& arguments) {
  std::string warning;
  auto settings = parse_collect(arguments, &warning);
  if (!settings.ok() && settings.code() == Code::kNotFound) {
    return write(STDOUT_FILENO, kCollectHelp, strlen(kCollectHelp)) < 0 ? kMistake : 0;
  }
  Status mistake = settings.status();
  if (mistake.ok()) mistake = check_settings(*settings);
  if (!mistake.ok()) {
    say(mistake.message());
    return kMistake;
  }
  if (!warning.empty()) say(warning);
  if (settings->sources.empty()) return collect_all(*settings);
  if (joins(*settings)) return collect_into_one(*settings);
  return collect_named(*settings) ? 0 : 1;
}

}  // namespace headrace::programs
