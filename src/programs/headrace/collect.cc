#include "programs/headrace/collect.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <map>
#include <unordered_set>

#include "capture/harvest/harvester.h"
#include "capture/harvest/job_log.h"
#include "capture/harvest/spool_directory.h"
#include "capture/spool_layout.h"
#include "format/reader.h"
#include "programs/headrace/job_directory.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/options.h"
#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;
using capture::Moment;
using Facts = std::map<std::string, std::string>;

std::string count_of(uint64_t number, const char* noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "es");
}

/// Where programs keep spools without a launcher; the first that exists.
std::string users_directory() {
  const std::string name = "/headrace-" + std::to_string(geteuid());
  const char* variable = getenv("HEADRACE_SPOOL");
  if (variable != nullptr && *variable != '\0') return variable + name;
  return access(("/dev/shm" + name).c_str(), F_OK) != 0 && access(("/tmp" + name).c_str(), F_OK) == 0
             ? "/tmp" + name
             : "/dev/shm" + name;
}

/// The job's start: the launcher's, or when the first of the processes began.
Moment start_of(const JobDirectory& directory, const Facts& facts) {
  const auto number = [&](const char* key) {
    const auto found = facts.find(key);
    return found == facts.end() ? uint64_t{0} : strtoull(found->second.c_str(), nullptr, 10);
  };
  Moment start{0, number("start_monotonic_ns"), number("start_utc_ns"), number("start_boottime_ns")};
  if (start.realtime_ns != 0 && start.boottime_ns != 0) return start;
  start = Moment::now();
  for (const capture::SpoolName& name : capture::list_spools(directory.descriptor())) {
    capture::Header header{};
    const int fd = openat(directory.descriptor(), name.file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool whole = fd >= 0 && read(fd, &header, sizeof header) == static_cast<ssize_t>(sizeof header);
    if (fd >= 0) close(fd);
    if (whole && header.magic == capture::kSpoolMagic && header.realtime_ns < start.realtime_ns) {
      start = {0, header.monotonic_ns[0], header.realtime_ns, header.boottime_ns};
    }
  }
  return start;
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

struct Target {
  std::string path;
  bool append = false;  // the launcher's own log goes on
};

Target target_of(const CollectSettings& settings, const Facts& facts) {
  if (!settings.output.empty()) return {absolute_path(settings.output), false};
  const auto log = facts.find("log");
  if (log != facts.end() && format::Reader::open(log->second).ok()) return {log->second, true};
  return {default_log_path("collect"), false};
}

void add_facts(capture::JobLog& log, const Facts& facts, const Moment& start, bool append, size_t running) {
  if (!append) {
    log.add_fact("format_version", "1");
    log.add_fact("headrace_version", HEADRACE_VERSION);
    log.add_fact("host", log.host());
    log.add_fact("user_id", std::to_string(geteuid()));
    log.add_fact("command", "[]");
    for (const auto& [key, value] : facts) {
      if (key != "log" && key != "start_monotonic_ns" && key != "start_boottime_ns") log.add_fact(key, value);
    }
    log.add_fact("start_utc_ns", std::to_string(start.realtime_ns));
  }
  log.add_fact("end_utc_ns", std::to_string(Moment::now().realtime_ns));
  log.add_fact("complete", running == 0 ? "yes" : "no: " + count_of(running, "process") + " still running");
}

/// Collects one directory; false when something is left that should not be.
bool collect_directory(const std::string& path, const CollectSettings& settings) {
  auto opened = JobDirectory::open(path);
  if (!opened.ok()) {
    if (opened.code() == Code::kNotFound && settings.directories.empty()) {
      if (!settings.quiet) say("nothing to collect: there is no " + path);
      return true;
    }
    say(opened.message());
    return false;
  }
  JobDirectory& directory = *opened;
  const Facts facts = directory.facts();
  const bool launched = !facts.empty();
  if (capture::list_spools(directory.descriptor()).empty()) {
    if (!settings.quiet) say("nothing to collect in " + path);
    if (launched) directory.remove();
    return true;
  }
  const Moment start = start_of(directory, facts);
  const Target target = target_of(settings, facts);
  capture::JobLog log(capture::LogOutput(target.path, fallback_directories()), start);
  if (target.append) log.continue_in(capture::LogOutput::append_to(target.path, fallback_directories()));
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
  if (!log.output().trouble().empty()) say(log.output().trouble() + "; the log is in " + log.output().path());
  if (!settings.quiet) {
    say(log.output().path() + ": " + count_of(log.processes(), "process") + " collected" +
        (running != 0 ? "; " + count_of(running, "process") + " still running, left alone" : ""));
  }
  if (launched && running == 0) directory.remove();
  return true;
}

}  // namespace

int collect(const std::vector<std::string>& arguments) {
  auto settings = parse_collect(arguments);
  if (!settings.ok() && settings.code() == Code::kNotFound) {
    return write(STDOUT_FILENO, kCollectHelp, strlen(kCollectHelp)) < 0 ? 125 : 0;
  }
  Status mistake = settings.status();
  if (mistake.ok() && !settings->output.empty()) mistake = capture::LogOutput::check_replaceable(settings->output);
  if (!mistake.ok()) {
    say(mistake.message());
    return 125;
  }
  if (settings->directories.empty()) return collect_directory(users_directory(), *settings) ? 0 : 1;
  bool all = true;
  for (const std::string& directory : settings->directories) all &= collect_directory(directory, *settings);
  return all ? 0 : 1;
}

}  // namespace headrace::programs
