#include "programs/headrace/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "capture/harvest/job_facts.h"
#include "capture/harvest/job_log.h"
#include "capture/harvest/spool_directory.h"
#include "capture/spool_layout.h"
#include "programs/headrace/exit_status.h"
#include "programs/headrace/job_directory.h"
#include "programs/headrace/leftovers.h"
#include "programs/headrace/merge_logs.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/nodes.h"
#include "programs/headrace/options.h"
#include "programs/headrace/places.h"
#include "programs/headrace/stored.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;
using capture::Moment;

constexpr int kAttempts = 5;
constexpr char kRunning[] = "no: a snapshot of a job that is running";  // the fact `complete`

/// Whether the job's launcher, or whoever goes on for it, is at work.
bool is_running(const std::string& directory) { return JobDirectory::open(directory).code() == Code::kLimit; }

/// One snapshot of the job whose records are in a directory. It changes nothing there and takes no lock, so the
/// launcher never waits for it.
class Snapshot {
 public:
  Snapshot(std::string directory, std::string output)
      : path_(std::move(directory)),
        output_(std::move(output)),
        part_(output_ + "." + std::to_string(getpid()) + ".part"),
        whole_(output_ + "." + std::to_string(getpid()) + ".whole") {}
  ~Snapshot() {
    if (descriptor_ >= 0) close(descriptor_);
    unlink(part_.c_str());
    unlink(whole_.c_str());
  }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  Status write() {
    descriptor_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0) return {Code::kIo, path_ + ": " + strerror(errno)};
    facts_ = capture::read_job_facts(descriptor_);
    if (facts_.empty())
      return {Code::kInvalid, path_ + ": is no directory of a job that `headrace run` started; name one that is"};
    const std::string log = fact_of(facts_, "log");
    if (facts_.count("anonymize") != 0)
      return {Code::kUnsupported, path_ + ": the job is recorded without names, of which no snapshot can be made"};
    if (is_same(log)) return {Code::kInvalid, output_ + ": is the job's own log, which goes on; give another name"};
    Status merged;
    // A process that ends meanwhile moves from its spool to the log: then all is read again.
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const auto stored = stored_in(log).processes;
      HEADRACE_TRY(write_part(stored));
      if (stored.empty()) return put(part_);
      merged = merge_logs({log, part_}, whole_, number_of(facts_, "start_utc_ns"), kRunning);
      if (merged.ok() && stored_in(log).processes == stored) return put(whole_);
      if (!merged.ok() && merged.code() != Code::kInvalid) return merged;
      unlink(whole_.c_str());
    }
    if (!merged.ok()) return merged;
    return {Code::kLimit, path_ + ": its processes begin and end too fast for a snapshot; try again later"};
  }

  uint64_t processes() const { return processes_; }

 private:
  /// Of those processes that are not in the job's log.
  Status write_part(const std::unordered_set<uint64_t>& stored) {
    unlink(part_.c_str());
    const Moment start = start_of(descriptor_, facts_), now = Moment::now();
    capture::JobLog log(capture::LogOutput(part_, {}), start);
    describe_nodes("", log);
    add_facts(log);
    const auto names = capture::list_spools(descriptor_);
    for (const capture::SpoolName& name : names) log.tree().see(name.image);
    for (const capture::SpoolName& name : names) {
      if (name.is_note() || stored.count(log.stored_id(log.tree().id_of(name.image))) != 0) continue;
      add_spool(log, name, now);
    }
    processes_ = log.processes() + stored.size();
    return log.close();
  }

  void add_facts(capture::JobLog& log) const {
    for (const auto& [key, value] : facts_)
      if (!is_note(key) && key != "job_identity") log.add_fact(key, value);
    log.add_fact("start_utc_ns", fact_of(facts_, "start_utc_ns"));
    log.add_fact("end_utc_ns", std::to_string(Moment::now().realtime_ns));
    log.add_fact("complete", kRunning);
  }

  std::vector<std::byte> read(const std::string& file) const {
    std::vector<std::byte> bytes;
    const int fd = openat(descriptor_, file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat info{};
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
      capture::read_spool_file(fd, static_cast<uint64_t>(info.st_size), &bytes);
    if (fd >= 0) close(fd);
    return bytes;
  }

  void add_spool(capture::JobLog& log, const capture::SpoolName& name, const Moment& now) {
    std::vector<std::byte> bytes = read(name.file);
    if (bytes.empty()) return;  // it has ended: the next attempt finds it in the log
    std::vector<std::byte> reduced = read(capture::copy_name(name.file, capture::kReduced));
    log.add_spool(bytes, reduced, path_ + "/" + name.file, name.image, now, [&](model::Process& process, bool forked) {
      process.id = log.tree().id_of(name.image);
      process.parent = log.tree().parent_of(name.image, process.parent_process_id, process.start_at_ns, forked);
      if (process.ended == model::Ended::kUnknown) process.ended = model::Ended::kRunning;
    });
  }

  /// Whether the snapshot would take the place of the job's own log.
  bool is_same(const std::string& log) const {
    struct stat own{}, other{};
    if (log == output_) return true;
    return stat(log.c_str(), &own) == 0 && stat(output_.c_str(), &other) == 0 && own.st_dev == other.st_dev &&
           own.st_ino == other.st_ino;
  }

  Status put(const std::string& made) const {
    if (is_same(fact_of(facts_, "log"))) return {Code::kInvalid, output_ + ": has become the job's own log"};
    if (rename(made.c_str(), output_.c_str()) == 0) return {};
    return {Code::kIo, output_ + ": " + strerror(errno)};
  }

  const std::string path_, output_, part_, whole_;
  int descriptor_ = -1;
  Facts facts_;
  uint64_t processes_ = 0;
};

/// The one running job of this user on this node, or what to do.
base::Result<std::string> only_job() {
  std::vector<std::string> running;
  for (const std::string& path : directories_of_user(""))
    if (!is_shared_directory(path) && is_running(path)) running.push_back(path);
  if (running.size() == 1) return running[0];
  if (running.empty()) return Status(Code::kNotFound, "no `headrace run` of yours is at work on this node");
  std::string all;
  for (const std::string& path : running) all += " " + path;
  return Status(Code::kInvalid, "several jobs of yours run on this node; name the directory of one:" + all);
}

std::string default_output(const std::string& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::string log = fd < 0 ? "" : fact_of(capture::read_job_facts(fd), "log");
  if (fd >= 0) close(fd);
  const std::string ending = ".hr";
  const std::string stem = log.ends_with(ending) ? log.substr(0, log.size() - ending.size()) : log;
  return (stem.empty() ? "headrace" : stem) + ".so-far.hr";
}

int fail(const Status& status) {
  say(status.message());
  return status.code() == Code::kInvalid || status.code() == Code::kNotFound ? kMistake : 1;
}

}  // namespace

int snapshot(const std::vector<std::string>& arguments) {
  auto settings = parse_snapshot(arguments);
  if (!settings.ok() && settings.code() == Code::kNotFound) {
    return write(STDOUT_FILENO, kSnapshotHelp, strlen(kSnapshotHelp)) < 0 ? 1 : 0;
  }
  if (!settings.ok()) return fail(settings.status());
  if (settings->directory.empty()) {
    auto found = only_job();
    if (!found.ok()) return fail(found.status());
    settings->directory = *found;
    if (!settings->quiet) say("no directory is named: taking the one job of yours on this node, " + *found);
  }
  if (settings->output.empty()) settings->output = default_output(settings->directory);
  const std::string output = absolute_path(settings->output);
  if (const Status free = capture::LogOutput::check_output(output); !free.ok()) return fail(free);
  Snapshot taken(settings->directory, output);
  if (const Status written = taken.write(); !written.ok()) return fail(written);
  if (!settings->quiet) say(std::to_string(taken.processes()) + " processes so far in " + output);
  return 0;
}

}  // namespace headrace::programs
