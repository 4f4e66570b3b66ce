#include "programs/headrace/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "capture/harvest/harvester.h"
#include "capture/harvest/job_log.h"
#include "capture/harvest/spool_directory.h"
#include "capture/harvest/unfinished.h"
#include "capture/spool_layout.h"
#include "format/reader.h"
#include "programs/headrace/collect_target.h"
#include "programs/headrace/glance.h"
#include "programs/headrace/job_directory.h"
#include "programs/headrace/leftovers.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/nodes.h"
#include "programs/headrace/options.h"
#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;
using capture::Moment;
using Facts = std::map<std::string, std::string>;

constexpr int kMistake = 125;  // as `headrace run` has it

std::string count_of(uint64_t number, const char* noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "es");
}

/// Processes that the launcher stored before it was killed.
std::unordered_set<uint64_t> stored_processes(const std::string& log) {
  std::unordered_set<uint64_t> ids;
  auto reader = format::Reader::open(log);
  if (!reader.ok()) return ids;
  const auto table = reader->table("processes");
  const format::Column* column = table.ok() ? table->find("process") : nullptr;
  for (uint64_t row = 0; column != nullptr && row < table->rows; ++row) ids.insert(column->u64(row));
  return ids;
}

std::string fact_of(const Facts& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? "" : found->second;
}

/// What the launcher notes for us alone.
bool is_note(const std::string& key) {
  constexpr const char* kNotes[] = {"log", "start_monotonic_ns", "start_boottime_ns", "anonymize", "producer", "part"};
  return std::find(std::begin(kNotes), std::end(kNotes), key) != std::end(kNotes);
}

void add_facts(capture::JobLog& log, const Facts& facts, const Moment& start, bool append, size_t running) {
  if (!append) {
    log.add_fact("format_version", "1");
    log.add_fact("headrace_version", HEADRACE_VERSION);
    log.add_fact("host", log.host());
    log.add_fact("user_id", std::to_string(geteuid()));
    log.add_fact("command", "[]");
    for (const auto& [key, value] : facts) {
      if (!is_note(key)) log.add_fact(key, value);
    }
    log.add_fact("start_utc_ns", std::to_string(start.realtime_ns));
  }
  const std::string part = append ? fact_of(facts, "part") : "";
  log.add_fact((part.empty() ? "" : part + ".") + "end_utc_ns", std::to_string(Moment::now().realtime_ns));
  log.add_fact(part.empty() ? "complete" : part,
               running == 0 ? "yes" : "no: " + count_of(running, "process") + " still running");
}

/// Makes `log` anonymous when that was asked for, now or when the job was run. The key is kept with the records as long
/// as there are any, because the same names must get the same tokens when more is collected.
Status make_anonymous(JobDirectory& directory, const CollectSettings& settings, const Target& target, Facts& facts,
                      capture::JobLog& log) {
  const auto kept = facts.find("anonymize");
  if (kept == facts.end() && !settings.anonymize) return {};
  if (kept == facts.end() && target.append) {
    return {Code::kInvalid,
            target.path + ": was begun without --anonymize; collect it so, then use `headrace anonymize`"};
  }
  HEADRACE_ASSIGN(const base::SipKey key,
                  kept == facts.end() ? anonymize::random_key() : anonymize::parse_key(kept->second));
  log.anonymize(key);
  if (kept == facts.end() && directory.facts().contains("log")) {
    facts["anonymize"] = anonymize::key_text(key);
    HEADRACE_TRY(directory.keep_facts(facts));
  }
  facts["anonymized"] = "1";
  return {};
}

/// Collects one directory; false when something is left that should not be.
bool collect_directory(JobDirectory& directory, const CollectSettings& settings) {
  const std::string path = directory.path();
  Facts facts = directory.facts();
  const bool launched = !facts.empty();
  if (capture::list_spools(directory.descriptor()).empty()) {
    if (!settings.quiet) say("nothing to collect in " + path);
    if (launched) directory.remove();
    if (is_shared_directory(path)) rmdir(path.c_str());
    return true;
  }
  const Glance glance = glance_at(directory, facts);
  const Moment start = glance.start;
  const bool anonymous = settings.anonymize || facts.contains("anonymize");
  const bool by_day = !settings.site.log_directory.empty();
  const Target target = target_of(settings, facts, {by_day ? glance.program : "collect", glance.job, anonymous, ""});
  if (!launched) add_scheduler_facts(glance.job, &facts);
  capture::JobLog log(capture::LogOutput(target.path, fallback_directories()), start);
  if (const Status made = make_anonymous(directory, settings, target, facts, log); !made.ok()) {
    say(made.message());
    return false;
  }
  const uint64_t producer = strtoull(fact_of(facts, "producer").c_str(), nullptr, 10);
  if (target.append)
    if (const Status cut = capture::drop_unfinished_rows(target.path, producer); !cut.ok()) {
      say(cut.message());
      return false;
    }
  if (target.append) log.continue_in(capture::LogOutput::append_to(target.path, fallback_directories(), producer));
  const mode_t going_on = mode_in_progress(settings.site, target.path);
  log.output().permit(going_on, facts.contains("part") ? going_on : mode_when_complete(settings.site, target.path));
  describe_nodes("", log);
  capture::Harvester harvester(directory.descriptor(), path, log);
  if (target.append) harvester.skip(stored_processes(target.path));
  Status status = harvester.scan(capture::Harvester::Depth::kThorough);
  const size_t running = harvester.alive_processes().size();
  if (status.ok() && log.processes() == 0 && running != 0) {
    if (!settings.quiet) say(count_of(running, "process") + " of " + path + " still running; nothing to collect yet");
    return true;
  }
  if (status.ok()) status = harvester.flush();
  if (status.ok()) {
    add_facts(log, facts, start, target.append, running);
    status = log.close();
  }
  if (!status.ok()) {
    say(status.message() + "; what could not be stored stays in " + path);
    return false;
  }
  if (running == 0 || !launched) log.output().complete();
  if (!log.output().trouble().empty()) say(log.output().trouble() + "; the log is in " + log.output().path());
  if (!settings.quiet) {
    say(log.output().path() + ": " + count_of(log.processes(), "process") + " collected" +
        (running != 0 ? "; " + count_of(running, "process") + " still running, left alone" : ""));
  }
  if (launched && running == 0) directory.remove();
  if (is_shared_directory(path)) rmdir(path.c_str());  // fails while a process uses it
  return true;
}

/// Collects the directories that were named.
bool collect_named(const CollectSettings& settings) {
  bool all = true;
  for (const std::string& path : settings.directories) {
    auto opened = JobDirectory::open(path);
    if (!opened.ok()) say(opened.message());
    all &= opened.ok() && collect_directory(*opened, settings);
  }
  return all;
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
    say("--output names one log, but there are records of several jobs; give one directory, or no --output:" + names);
    return kMistake;
  }
  bool all = true;
  for (JobDirectory& directory : left) all &= collect_directory(directory, settings);
  return all ? 0 : 1;
}

Status check_named(const std::string& path) {
  const std::string next = "; give a directory of records, or none to collect all of yours";
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return {Code::kInvalid, "DIR " + path + ": " + strerror(errno) + next};
  if (!S_ISDIR(info.st_mode)) return {Code::kInvalid, "DIR " + path + ": is no directory" + next};
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
  if (mistake.ok() && !settings->output.empty()) mistake = capture::LogOutput::check_replaceable(settings->output);
  for (size_t i = 0; mistake.ok() && i < settings->directories.size(); ++i) {
    mistake = check_named(settings->directories[i]);
  }
  if (!mistake.ok()) {
    say(mistake.message());
    return kMistake;
  }
  if (!warning.empty()) say(warning);
  if (settings->directories.empty()) return collect_all(*settings);
  return collect_named(*settings) ? 0 : 1;
}

}  // namespace headrace::programs
