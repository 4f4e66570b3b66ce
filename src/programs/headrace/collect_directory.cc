#include "programs/headrace/collect_directory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>

#include "capture/harvest/copy_file.h"
#include "capture/harvest/harvester.h"
#include "capture/harvest/job_facts.h"
#include "capture/harvest/job_log.h"
#include "capture/harvest/spool_directory.h"
#include "capture/harvest/trace_path.h"
#include "capture/harvest/unfinished.h"
#include "capture/spool_layout.h"
#include "events/trace_files.h"
#include "format/reader.h"
#include "programs/headrace/collect_target.h"
#include "programs/headrace/glance.h"
#include "programs/headrace/leftovers.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/nodes.h"
#include "programs/headrace/places.h"
#include "programs/headrace/stored.h"
#include "programs/headrace/trace_report.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;
using capture::LogOutput;
using capture::Moment;

std::string count_of(uint64_t number, const char* noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "es");
}

/// One collection, in the order of its methods.
class Collection {
 public:
  Collection(JobDirectory& directory, const CollectSettings& settings, const std::string& into)
      : directory_(directory),
        settings_(settings),
        path_(directory.path()),
        facts_(directory.facts()),
        launched_(capture::are_of_a_job(facts_)),
        node_(facts_.count("node") != 0),
        glance_(glance_at(directory)),
        target_(into.empty() ? target_of(settings, facts_, name()) : Target{into, true, ""}),
        is_part_(node_ || !into.empty()) {
    if (facts_.count("scheduler_job") == 0) add_scheduler_facts(glance_.job, &facts_);
  }

  bool perform();

 private:
  LogName name() const;
  Status open_log();
  Status make_anonymous(capture::JobLog& log);
  void add_facts(capture::JobLog& log, size_t running);
  bool store(capture::JobLog& log);
  void move_to_its_place(std::string& path) const;
  void tidy(size_t running);

  JobDirectory& directory_;
  const CollectSettings& settings_;
  const std::string path_;
  Facts facts_;
  const bool launched_, node_;  // by a launcher on this node, or on another one
  const Glance glance_;
  const Target target_;
  const bool is_part_;  // of a log that others write as well
  Moment start_;
  std::optional<LogOutput> output_;
  uint64_t stored_end_utc_ns_ = 0;  // of what others added to the log
  bool joined_ = false;             // the log was there before
};

/// A new log in the site's directory is named after what was captured, one in the working directory after collecting.
LogName Collection::name() const {
  return {settings_.site.log_directory.empty() ? "collect" : glance_.program, glance_.job,
          settings_.anonymize || facts_.count("anonymize") != 0, ""};
}

/// The log, and what its times count from.
Status Collection::open_log() {
  const uint64_t known = number_of(facts_, "producer");
  // As the launcher, so that who comes after a collection that was killed knows what is unfinished in it.
  output_.emplace(target_.append ? LogOutput::append_to(target_.path, fallback_directories(), known)
                                 : LogOutput(target_.path, fallback_directories(), known));
  const mode_t going_on = mode_in_progress(settings_.site, target_.path);
  output_->permit(going_on, is_part_ ? going_on : mode_when_complete(settings_.site, target_.path));
  if (!target_.append && launched_) output_->belong_to(fact_of(facts_, "job_identity"), node_);
  start_ = start_of(directory_);
  joined_ = target_.append;
  if (known == 0 && node_) {  // should this be killed, the next one goes on as the same writer
    facts_["producer"] = std::to_string(output_->producer());
    (void)directory_.keep_facts(facts_);
  }
  if (target_.append) HEADRACE_TRY(capture::drop_unfinished_rows(target_.path, known));
  if (!is_part_) return {};
  HEADRACE_ASSIGN(const uint64_t start_utc_ns, output_->begin(start_.realtime_ns));
  joined_ = !output_->begun();
  if (joined_) start_ = Moment::at(start_utc_ns);
  return {};
}

/// Makes `log` anonymous when that was asked for, now or when the job was run. The key is kept with the records as long
/// as there are any, because the same names must get the same tokens when more is collected.
Status Collection::make_anonymous(capture::JobLog& log) {
  const auto kept = facts_.find("anonymize");
  if (kept == facts_.end() && !settings_.anonymize) return {};
  if (kept == facts_.end() && (target_.append || is_part_)) {
    return {Code::kInvalid,
            target_.path + ": was begun without --anonymize; collect it so, then use `headrace anonymize`"};
  }
  HEADRACE_ASSIGN(const base::SipKey key,
                  kept == facts_.end() ? anonymize::random_key() : anonymize::parse_key(kept->second));
  log.anonymize(key);
  if (kept == facts_.end() && launched_) {
    facts_["anonymize"] = anonymize::key_text(key);
    HEADRACE_TRY(directory_.keep_facts(facts_));
  }
  facts_["anonymized"] = "1";
  return {};
}

void Collection::add_facts(capture::JobLog& log, size_t running) {
  if (!joined_) {
    log.add_fact("format_version", "1");
    log.add_fact("headrace_version", HEADRACE_VERSION);
    log.add_fact("host", log.host());
    log.add_fact("user_id", std::to_string(geteuid()));
    log.add_fact("command", "[]");
    for (const auto& [key, value] : facts_) {
      if (!is_note(key)) log.add_fact(key, value);
    }
    log.add_fact("start_utc_ns", std::to_string(start_.realtime_ns));
  }
  if (joined_ && node_) {  // ranks that reduced their figures have begun it, and know less
    for (const char* key : {"scheduler", "scheduler_job"}) {
      if (facts_.count(key) != 0) log.add_fact(key, facts_[key]);
    }
  }
  std::string part = joined_ ? fact_of(facts_, "part") : "";
  if (part.empty() && is_part_) part = capture::kPartFact + capture::identity_text(log.output().producer());
  const uint64_t end = running != 0 ? Moment::now().realtime_ns : std::max(stored_end_utc_ns_, log.last_end_utc_ns());
  log.add_fact((part.empty() ? "" : part + ".") + "end_utc_ns", std::to_string(end));
  log.add_fact(part.empty() ? "complete" : part,
               running == 0 ? "yes" : "no: " + count_of(running, "process") + " still running");
}

bool Collection::store(capture::JobLog& log) {
  capture::Harvester harvester(directory_.descriptor(), path_, log);
  if (joined_) {
    Stored stored = stored_in(log.output().path().empty() ? target_.path : log.output().path());
    stored_end_utc_ns_ = log.start().realtime_ns + stored.last_end_ns;
    harvester.skip(std::move(stored.processes));
  }
  Status status = harvester.scan(capture::Harvester::Depth::kThorough);
  const size_t running = harvester.alive_processes().size();
  if (status.ok() && log.processes() == 0 && running != 0) {
    if (!settings_.quiet) say(count_of(running, "process") + " of " + path_ + " still running; nothing to collect yet");
    return true;
  }
  if (status.ok()) status = harvester.flush();
  if (status.ok()) {
    add_facts(log, running);
    status = log.close();
  }
  if (!status.ok()) {
    say(status.message() + "; what could not be stored stays in " + path_);
    return false;
  }
  if (running == 0 || !launched_) log.output().complete();
  std::string path = log.output().path();
  if (!log.output().trouble().empty()) say(log.output().trouble() + "; the log is in " + path);
  if (!target_.move_to.empty()) move_to_its_place(path);
  say_of_trace(log, path);
  if (!settings_.quiet) {
    say(path + ": " + count_of(log.processes(), "process") + " collected" +
        (running != 0 ? "; " + count_of(running, "process") + " still running, left alone" : ""));
  }
  tidy(running);
  return true;
}

/// The log gets the name that was asked for, and the trace beside it follows.
void Collection::move_to_its_place(std::string& path) const {
  const std::string trace = capture::trace_path(path);
  const Status moved = capture::move_file(path, target_.move_to);
  if (!moved.ok()) return say(moved.message());
  path = target_.move_to;
  if (access(trace.c_str(), F_OK) != 0) return;
  Status followed = events::move_other_files(trace, capture::trace_path(path));
  if (!followed.ok()) say(followed.message());
  followed = capture::move_file(trace, capture::trace_path(path));
  if (!followed.ok()) say(followed.message());
}

void Collection::tidy(size_t running) {
  if (node_) return directory_.remove_if_empty(facts_);
  if (launched_ && running == 0) directory_.remove();
  if (is_shared_directory(path_)) rmdir(path_.c_str());  // fails while a process uses it
}

bool Collection::perform() {
  const std::vector<capture::SpoolName> spools = capture::list_spools(directory_.descriptor());
  if (spools.empty()) {
    if (!settings_.quiet) say("nothing to collect in " + path_);
    tidy(0);
    return true;
  }
  const bool all_run = std::none_of(spools.begin(), spools.end(), [&](const capture::SpoolName& name) {
    const int fd = openat(directory_.descriptor(), name.file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool in_use = fd >= 0 && !name.is_note() && capture::spool_use(fd) == capture::Use::kInUse;
    if (fd >= 0) close(fd);
    return !in_use;
  });
  if (all_run && is_part_) {
    if (!settings_.quiet)
      say(count_of(spools.size(), "process") + " of " + path_ + " still running; nothing to collect yet");
    return true;
  }
  if (const Status opened = open_log(); !opened.ok()) {
    say(opened.message());
    return false;
  }
  capture::JobLog log(std::move(*output_), start_);
  log.choose_trace_sink(fact_of(facts_, capture::kSinkFact), path_);
  if (const Status anonymous = make_anonymous(log); !anonymous.ok()) {
    say(anonymous.message());
    return false;
  }
  if (joined_) log.tables().continue_log();
  describe_nodes("", log);
  return store(log);
}

}  // namespace

Moment start_of(const JobDirectory& directory) { return start_of(directory.descriptor(), directory.facts()); }

bool collect_directory(JobDirectory& directory, const CollectSettings& settings, const std::string& into) {
  return Collection(directory, settings, into).perform();
}

}  // namespace headrace::programs
