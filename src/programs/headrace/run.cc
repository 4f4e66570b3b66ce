#include "programs/headrace/run.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <optional>

#include "capture/harvest/harvester.h"
#include "capture/harvest/job_log.h"
#include "capture/harvest/stood_for.h"
#include "capture/harvest/trace_path.h"
#include "capture/recorder/launch.h"
#include "capture/recorder/target.h"
#include "programs/headrace/background.h"
#include "programs/headrace/child.h"
#include "programs/headrace/emulation.h"
#include "programs/headrace/exit_status.h"
#include "programs/headrace/job_directory.h"
#include "programs/headrace/keeper.h"
#include "programs/headrace/log_place.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/nodes.h"
#include "programs/headrace/options.h"
#include "programs/headrace/places.h"
#include "programs/headrace/python_functions.h"
#include "programs/headrace/trace_report.h"
#include "programs/headrace/try_servers.h"
#include "programs/headrace/watch.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;
using capture::JobLog;
using capture::LogOutput;
using capture::Moment;

int exit_code_of(const Status& status) {
  if (status.code() == Code::kNotFound) return kNotFound;
  return status.code() == Code::kInvalid ? kCannotRun : kMistake;
}

/// One captured run, in the order of its methods.
class Run {
 public:
  Run(RunSettings settings, Emulation emulation)
      : settings_(std::move(settings)),
        emulation_(std::move(emulation)),
        start_(Moment::now()),
        launch_(capture::launch_of_environment()),
        log_path_(path_of_log()),
        log_(output(), start_) {}

  /// Before anything else.
  Status anonymize();
  int perform(const std::string& program);

 private:
  std::string path_of_log() const;
  std::vector<std::string> job_variables();
  std::string preloads() const;
  bool may_forward() const;
  std::string why_not_forwarded() const;
  LogOutput output();
  void prepare(const std::string& program);
  void preload_through_link();
  void add_start_facts();
  void keep_for_collect();
  void add_end_facts(const std::string& complete, int status);
  Status start(const std::string& program);
  Repeated snapshots() const;
  std::string interim_path() const;
  void remove_interim() const;
  void finish(int wait_status);
  void add_uncaptured_command(int wait_status);
  void finish_log(size_t running);
  void leave_directory(size_t running);
  void report(const Status& stored, size_t running);
  std::string saved(const std::string& log) const;
  bool captured() const { return missing_.empty(); }

  RunSettings settings_;
  Emulation emulation_;
  Moment start_;
  capture::Launch launch_;
  std::string log_path_, library_, identity_;
  std::string part_;  // prefix of this launcher's own facts, when ranks of a launch write one log; else ""
  SignalState signals_;
  std::optional<JobDirectory> directory_;
  std::string missing_;     // why nothing at all is captured
  capture::Target target_;  // the command itself
  JobLog log_;
  std::optional<capture::Harvester> harvester_;
  pid_t child_ = 0;
  uint64_t command_end_utc_ns_ = 0;
  Keeper keeper_;
  std::map<std::string, std::string> facts_;
};

std::string Run::path_of_log() const {
  if (!settings_.output.empty()) return absolute_path(settings_.output);
  return default_log_path(settings_,
                          {settings_.anonymize ? "run" : settings_.command[0], scheduler_job(), settings_.anonymize,
                           launch_.is_parallel() ? capture::identity_text(launch_.id) : ""});
}

/// All launchers that are ranks of one parallel launch write one log, whose times count from the first one's start.
LogOutput Run::output() {
  LogOutput output(log_path_, fallback_directories());
  // Whoever ends first must leave the others the right to go on.
  const mode_t going_on = mode_in_progress(settings_, log_path_);
  output.permit(going_on, launch_.is_parallel() ? going_on : mode_when_complete(settings_, log_path_));
  identity_ = capture::identity_text(launch_.is_parallel() ? launch_.id : output.producer());
  output.belong_to(identity_, launch_.is_parallel());
  if (!launch_.is_parallel()) return output;
  part_ = capture::kPartFact + capture::identity_text(output.producer());
  // If there is no place for it now there may be one at the end.
  if (const auto start = output.begin(start_.realtime_ns); start.ok()) start_ = Moment::at(*start);
  return output;
}

void Run::prepare(const std::string& program) {
  for (const auto& spec : settings_.forward.specs) log_.add_forwarded(spec.prefix, spec.directory);
  library_ = library_path();
  if (access(library_.c_str(), R_OK) != 0) {
    missing_ =
        library_ + ": " + strerror(errno) + "; reinstall Headrace, or set HEADRACE_LIBRARY to its capture library";
  } else if (!can_be_preloaded(library_) && part_.empty() && may_have_other_nodes(settings_.command)) {
    missing_ = cannot_preload(library_);
  } else {
    auto made = JobDirectory::create(settings_, part_.empty() ? "" : identity_);
    if (made.ok())
      directory_.emplace(std::move(*made));
    else
      missing_ = made.message();
  }
  if (captured() && !can_be_preloaded(library_)) preload_through_link();
  target_ = capture::target_at(AT_FDCWD, program.c_str());
  if (directory_.has_value()) harvester_.emplace(directory_->descriptor(), directory_->path(), log_);
  add_start_facts();
  describe_nodes(settings_.topology, log_);
}

/// Where the installation's own path cannot be preloaded. Processes that outlive the job directory look for the library
/// before they start others, as all do.
void Run::preload_through_link() {
  const size_t name = library_.rfind('/');
  const auto link = can_be_preloaded(library_.substr(name)) ? directory_->link_libraries(library_.substr(0, name))
                                                            : Status(Code::kUnsupported, cannot_preload(library_));
  if (link.ok()) {
    library_ = *link + library_.substr(name);
    return;
  }
  missing_ = link.message();
  directory_->remove();
  directory_.reset();
}

/// The key stays in the job directory, beside the records it is for, until the log is complete: whoever completes it
/// must give the same names the same tokens.
Status Run::anonymize() {
  if (!settings_.anonymize) return {};
  HEADRACE_ASSIGN(const base::SipKey key, anonymize::random_key());
  log_.anonymize(key);
  facts_["anonymize"] = anonymize::key_text(key);
  return {};
}

void Run::add_start_facts() {
  facts_["format_version"] = "1";
  facts_["headrace_version"] = HEADRACE_VERSION;
  facts_["command"] = capture::json_array(settings_.command);
  facts_["host"] = log_.host();
  facts_["user_id"] = std::to_string(getuid());
  facts_["start_utc_ns"] = std::to_string(start_.realtime_ns);
  facts_["working_directory"] = absolute_path(".").substr(0, absolute_path(".").size() - 2);
  facts_["memory"] = std::to_string(settings_.memory);
  facts_["capture"] = settings_.phases_only ? "phases" : "all";
  if (!settings_.emulate.empty()) facts_["emulate"] = emulation_.profile().title;
  facts_["file_sizes"] = settings_.file_sizes ? "1" : "0";
  std::vector<std::string> lists[2];
  for (const Rule& rule : settings_.rules) lists[rule.exclude ? 1 : 0].push_back(rule.prefix);
  facts_["include"] = capture::json_array(lists[0]);
  facts_["exclude"] = capture::json_array(lists[1]);
  if (directory_.has_value()) facts_["spool_directory"] = directory_->path();
  if (settings_.trace && settings_.trace_sink != "shared") facts_[capture::kSinkFact] = settings_.trace_sink;
  if (directory_.has_value()) log_.choose_trace_sink(settings_.trace_sink, directory_->path());
  if (settings_.trace && !settings_.trace_python.empty()) facts_["trace_python"] = settings_.trace_python;
  facts_["anonymized"] = settings_.anonymize ? "1" : "0";
  add_scheduler_facts(scheduler_job(), &facts_);
  // One launcher describes a job that has several.
  const bool describes = part_.empty() || log_.output().begun();
  for (const auto& [key, value] : facts_) {
    if (describes && key != "anonymize") log_.add_fact(key, value);
  }
  const std::string where = part_.empty() ? "" : " on " + log_.host();
  log_.add_fact(part_.empty() ? "complete" : part_, "no: the launcher" + where + " has not finished");
  if (settings_.anonymize && (settings_.reduce == "always" || settings_.reduce == "clusters")) {
    log_.add_gap({"reduction over ranks", 1, "jobs",
                  "ranks would write names as they are; record with names, then use `headrace anonymize` on the log"});
  }
  if (!directory_.has_value()) return;
  if (!directory_->refused().empty()) log_.add_fact("spool_refused", directory_->refused());
  if (!settings_.spool.empty() && !directory_->refused().empty()) {
    say("the spool directory of your settings is not used: " + directory_->refused() + "; records are kept in " +
        directory_->path());
  }
  keep_for_collect();
  if (!part_.empty()) (void)log_.flush();  // from now on the log tells of this launcher, should it be killed
}

/// Without these facts `collect` makes a log of its own.
void Run::keep_for_collect() {
  facts_[capture::kIdentityFact] = identity_;
  facts_["log"] = log_.output().path().empty() ? log_path_ : log_.output().path();
  facts_["start_monotonic_ns"] = std::to_string(start_.monotonic_ns);
  facts_["start_boottime_ns"] = std::to_string(start_.boottime_ns);
  facts_["producer"] = std::to_string(log_.output().producer());
  if (const mode_t mode = log_.output().mode_in_progress(); mode != 0) {
    char octal[16];
    snprintf(octal, sizeof octal, "%o", mode);
    facts_["trace_mode"] = octal;
  }
  if (!part_.empty()) facts_["part"] = part_;
  (void)directory_->keep_facts(facts_);
}

void Run::add_end_facts(const std::string& complete, int status) {
  const std::string prefix = part_.empty() ? "" : part_ + ".";
  log_.add_fact(prefix + "exit_status", std::to_string(status));
  if (!settings_.emulate.empty()) log_.add_fact(prefix + "emulated", emulation_.counts());
  log_.add_fact(prefix + "end_utc_ns", std::to_string(std::max(command_end_utc_ns_, log_.last_end_utc_ns())));
  log_.add_fact(part_.empty() ? "complete" : part_, complete);
}

std::string Run::interim_path() const {
  const std::string log = log_.output().path().empty() ? log_path_ : log_.output().path();
  return (log.ends_with(".hr") ? log.substr(0, log.size() - 3) : log) + ".so-far.hr";
}

/// The snapshot, and what one that was ended left: its name, its process and ".part" or ".whole".
void Run::remove_interim() const {
  const std::string path = interim_path(), name = path.substr(path.rfind('/') + 1) + ".";
  const std::string place = path.substr(0, path.rfind('/') + 1);
  unlink(path.c_str());
  DIR* directory = opendir(place.c_str());
  while (const dirent* entry = directory != nullptr ? readdir(directory) : nullptr) {
    const std::string_view found = entry->d_name;
    if (found.starts_with(name) && (found.ends_with(".part") || found.ends_with(".whole")))
      unlink((place + entry->d_name).c_str());
  }
  if (directory != nullptr) closedir(directory);
}

/// What is run every now and then while the command runs.
Repeated Run::snapshots() const {
  // One of several launchers knows its own processes alone.
  if (settings_.interim_seconds == 0 || !directory_.has_value() || !part_.empty()) return {};
  return {settings_.interim_seconds * 1'000'000'000,
          {own_directory() + "/headrace", "snapshot", "-q", "-o", interim_path(), directory_->path()}};
}

/// A program that would miss its files is not started.
bool Run::may_forward() const { return settings_.forward.specs.empty() || why_not_forwarded().empty(); }

std::string Run::why_not_forwarded() const {
  if (!captured()) return "--forward: " + missing_;
  if (target_.unfit != nullptr)
    return settings_.command[0] + ": " + target_.unfit + ", so nothing of it can be forwarded";
  const std::string second = library_.substr(0, library_.rfind('/') + 1) + "libheadrace-forward.so";
  return access(second.c_str(), R_OK) == 0 ? "" : second + ": " + strerror(errno) + "; reinstall Headrace";
}

/// Values of capture::kJobVariables.
std::vector<std::string> Run::job_variables() {
  const std::string log = log_.output().path().empty() ? log_path_ : log_.output().path();
  const std::string forward = settings_.forward.specs.empty() ? "" : forward::program::to_text(settings_.forward);
  // Nothing with names may come from elsewhere.
  if (settings_.anonymize) return {directory_->path(), "", "", "", forward};
  return {directory_->path(), log, std::to_string(start_.realtime_ns), identity_ + "@" + log_.host(), forward};
}

/// What the loader is to load first. With waits of threads that is a second library, which nobody else meets.
std::string Run::preloads() const {
  const bool waits = (settings_.trace_filter.modules & capture::module_bit(capture::TraceModule::kSync)) != 0;
  if (!settings_.trace || !waits) return library_;
  const std::string second = library_.substr(0, library_.rfind('/') + 1) + capture::kSyncLibrary;
  if (access(second.c_str(), R_OK) == 0) return library_ + ":" + second;
  say(second + ": " + strerror(errno) + "; waits of threads are not recorded");
  return library_;
}

Status Run::start(const std::string& program) {
  const bool enter = captured() && target_.unfit == nullptr;
  signals_ = take_over_signals();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  // The recorder hides its own variables from programs.
  if (!settings_.forward.specs.empty())
    setenv(forward::program::kServersVariable, forward::program::to_text(settings_.forward).c_str(), 1);
  auto environment = enter ? capture_environment(preloads(), target_.runtime, job_variables()) : plain_environment();
  if (enter && settings_.trace) record_python_functions(settings_.trace_python, &environment);
  auto child = start_program(program, settings_.command, environment, signals_);
  if (!child.ok()) return child.status();
  child_ = *child;
  if (!settings_.emulate.empty() && target_.unfit != nullptr)
    say("--emulate: " + program + ": " + target_.unfit + ", so its own files are as fast as they are");
  if (captured() && !enter) directory_->leave_note(static_cast<uint32_t>(child_), target_.unfit, program);
  return {};
}

int Run::perform(const std::string& program) {
  prepare(program);
  const Status creatable = part_.empty() ? LogOutput::check_creatable(log_path_) : Status();
  if (!creatable.ok()) say(creatable.message() + "; the log will go to another place, which is said at the end");
  if (!part_.empty() && directory_.has_value()) keeper_.begin(directory_->path());
  const Status started = may_forward() ? start(program) : Status(Code::kUnsupported, why_not_forwarded());
  if (!started.ok()) {
    if (directory_.has_value()) directory_->remove();
    emulation_.end();
    say(started.message());
    if (!part_.empty()) {
      add_end_facts("no: a rank could not be started: " + started.message(), exit_code_of(started));
      (void)log_.close();
    }
    keeper_.end();
    return exit_code_of(started);
  }
  const int wait_status = watch(child_, harvester_.has_value() ? &*harvester_ : nullptr, snapshots());
  finish(wait_status);
  emulation_.end();
  end_like(wait_status);
}

void Run::finish(int wait_status) {
  command_end_utc_ns_ = Moment::now().realtime_ns;
  if (harvester_.has_value()) harvest_rest(*harvester_);
  if (directory_.has_value() && directory_->is_gone()) {
    log_.add_gap({"spool directory", 1, "directories", directory_->path() + " was removed while the command ran"});
  }
  if (harvester_.has_value() && log_.processes() == 0 && harvester_->alive_processes().empty())
    missing_ = "the command ended before its capture began";
  if (!captured()) add_uncaptured_command(wait_status);
  const size_t running = harvester_.has_value() ? harvester_->alive_processes().size() : 0;
  const int status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  std::string complete = "yes";
  if (!captured())
    complete = "no: nothing was captured: " + missing_;
  else if (running != 0)
    complete = "no: " + std::to_string(running) + (running == 1 ? " process" : " processes") + " still running";
  add_end_facts(complete, status);
  finish_log(running);
}

/// The log must say that the command ran although nothing could be captured.
void Run::add_uncaptured_command(int wait_status) {
  model::Process process;
  process.process_id = static_cast<uint32_t>(child_);
  process.parent_process_id = static_cast<uint32_t>(getpid());
  process.id = log_.tree().id_of({process.process_id, start_.boottime_ns});
  process.executable = settings_.command[0];
  for (const std::string& argument : settings_.command) process.arguments += argument + '\0';
  process.start_at_ns = 1;
  process.end_at_ns = Moment::now().monotonic_ns - start_.monotonic_ns;
  process.ended = WIFSIGNALED(wait_status) ? model::Ended::kKilled : model::Ended::kExit;
  process.exit_status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  process.reason = missing_;
  log_.add_uncaptured(std::move(process));
}

void Run::finish_log(size_t running) {
  const Status stored = log_.close();
  if (stored.ok() && harvester_.has_value()) harvester_->remove_stored();
  if (stored.ok() && running == 0) log_.output().complete();
  if (stored.ok() && settings_.interim_seconds != 0 && part_.empty()) remove_interim();
  report(stored, running);
  if (directory_.has_value() && stored.ok()) leave_directory(running);
  keeper_.end();  // last: should this launcher be killed before, the keeper does the rest
}

/// Nothing is left on this node, or somebody who collects the rest.
void Run::leave_directory(size_t running) {
  if (running == 0)
    directory_->remove();
  else if (!collect_in_background(log_, *harvester_, *directory_, part_, command_end_utc_ns_))
    say("no process could be made to wait for the rest; run `headrace collect " + directory_->path() + "` later");
}

void Run::report(const Status& stored, size_t running) {
  if (!stored.ok()) {
    say(stored.message() + "; no other place takes the log either" +
        (directory_.has_value() ? ". The records are kept: run `headrace collect -o FILE " + directory_->path() + "`"
                                : ""));
    return;
  }
  if (!log_.output().trouble().empty()) {
    say(log_.output().trouble() + "; the log is in " + log_.output().path());
    if (!log_.output().earlier_part().empty()) {
      const std::string &first = log_.output().earlier_part(), &rest = log_.output().path();
      say("its first part is " + first + "; `headrace collect " + first + " " + rest + " -o FILE` joins them");
    }
  }
  say_of_trace(log_);
  if (!captured()) say("nothing was captured: " + missing_);
  if (settings_.quiet || !isatty(STDERR_FILENO)) return;
  if (!part_.empty()) {
    if (launch_.rank == 0) say("all ranks are in " + log_.output().path() + " when they have ended");
    return;
  }
  if (!log_.output().kept().empty()) say("the log that was there is now " + log_.output().kept());
  say(std::to_string(log_.processes()) + (log_.processes() == 1 ? " process" : " processes") + " in " +
      log_.output().path() + (running != 0 ? ", more when they end" : "") + saved(log_.output().path()) +
      "; look at it with: headrace show " + log_.output().path());
}

/// What representatives of ranks saved, for the last line.
std::string Run::saved(const std::string& log) const {
  const capture::StoodFor found = settings_.reduce == "clusters" ? capture::stood_for(log) : capture::StoodFor();
  if (found.ranks == 0) return "";
  return "; representatives stand for " + std::to_string(found.ranks) + " ranks, which saved " +
         std::to_string(found.bytes) + " bytes (" + std::to_string(found.records) + " records)";
}

/// For `--trace posix`, whose list was taken for the command.
std::string meant_modules(const RunSettings& settings) {
  const std::string& word = settings.command[0];
  if (!settings.trace || capture::trace_modules_of(word.c_str()) == 0) return "";
  return "; to record these modules alone write --trace=" + word;
}

base::Result<Emulation> emulate(const RunSettings& settings) {
  if (settings.emulate.empty()) return Emulation();
  return Emulation::begin(settings.emulate, settings.emulate_directory.empty() ? "." : settings.emulate_directory,
                          false);
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  std::string warning;
  auto settings = parse_run(arguments, &warning);
  if (!settings.ok() && settings.code() == Code::kNotFound && settings.message() == "help") {
    return write(STDOUT_FILENO, kRunHelp, strlen(kRunHelp)) < 0 ? kMistake : 0;
  }
  if (!settings.ok()) {
    say(settings.message());
    return kMistake;
  }
  const auto program = find_program(settings->command[0]);
  if (!program.ok()) {
    say(program.message() + meant_modules(*settings));
    return exit_code_of(program.status());
  }
  const char* off = getenv("HEADRACE");
  if (off != nullptr && strcmp(off, "off") == 0) {
    if (!settings->forward.specs.empty()) {
      say("--forward: HEADRACE=off in the environment keeps out what forwards; unset it, or leave out --forward");
      return kMistake;
    }
    auto emulation = emulate(*settings);
    if (!emulation.ok()) {
      say(emulation.message());
      return kMistake;
    }
    const Status status = become_program(*program, settings->command, plain_environment());
    emulation->end();
    say(status.message());
    return exit_code_of(status);
  }
  if (settings->anonymize && capture::launch_of_environment().is_parallel()) {
    say("--anonymize: each rank would give names tokens of its own; put `headrace run` before the launcher of the "
        "ranks, or use `headrace anonymize` on the log");
    return kMistake;
  }
  if (!settings->output.empty()) {
    Status replaceable = LogOutput::check_output(settings->output);
    if (replaceable.ok() && settings->trace)
      replaceable = LogOutput::check_output(capture::trace_path(settings->output));
    if (!replaceable.ok()) {
      say(replaceable.message());
      return kMistake;
    }
  }
  if (settings->spool_by_option) {
    const Status usable = JobDirectory::check_spool(*settings);
    if (!usable.ok()) {
      say("--spool " + usable.message() + "; give a local directory that you can write to, or leave it out");
      return kMistake;
    }
  }
  if (!settings->forward.specs.empty()) {
    std::string doubt;
    const Status usable = try_servers(settings->forward, capture::starts_ranks(program->c_str()), &doubt);
    if (!doubt.empty()) say(doubt);
    if (!usable.ok()) {
      say(usable.message());
      return kMistake;
    }
  }
  auto emulation = emulate(*settings);
  if (!emulation.ok()) {
    say(emulation.message());
    return kMistake;
  }
  if (!warning.empty()) say(warning);
  Run run(std::move(*settings), std::move(*emulation));
  if (const Status status = run.anonymize(); !status.ok()) {
    say(status.message());
    return kMistake;
  }
  return run.perform(*program);
}

}  // namespace headrace::programs
