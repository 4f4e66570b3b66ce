#include "programs/headrace/options.h"
#include "programs/headrace/places.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace headrace::programs {

using base::Code;
using base::Result;
using base::Status;

const char kRunHelp[] =
    "Usage: headrace run [OPTION]... [--] COMMAND [ARGUMENT]...\n"
    "Runs COMMAND and records the I/O of it and of every process it starts in one\n"
    "log.\n"
    "\n"
    "  -o, --output FILE     the log; a log that is there is kept as FILE.old,\n"
    "                        any other file is refused (default:\n"
    "                        headrace-COMMAND-DATE-TIME-PID.hr in this directory,\n"
    "                        PID being that of this command, or where the site's\n"
    "                        configuration says)\n"
    "      --memory SIZE     memory for records in each process, 128K to 4095M\n"
    "                        (default: 4M)\n"
    "      --include PREFIX  capture paths that begin so, though a shorter prefix\n"
    "                        is excluded\n"
    "      --exclude PREFIX  only count paths that begin so, without a record for\n"
    "                        each\n"
    "      --file-sizes      also ask for the size of each file when it is opened\n"
    "      --capture phases  record only inside phases that the program marks\n"
    "                        (docs/phases.md); the default is all\n"
    "      --trace[=MODULES] also record every call by itself: LOG.trace.hr, for\n"
    "                        `headrace trace` (docs/trace.md). Of these alone:\n"
    "                        posix,stdio,mpi,messages,mpiio,hdf5,pnetcdf,forward,\n"
    "                        phases,regions,functions; sync, waits of threads, if\n"
    "                        it is named; all. Without one: mpi,-messages\n"
    "      --trace-memory SIZE  memory for that in each process, 1M to 4095M\n"
    "                        (default: 64M)\n"
    "      --trace-only LIST, --trace-skip LIST\n"
    "                        only, or not, calls and regions of these names, such\n"
    "                        as 'MPI_*,pwrite'\n"
    "      --trace-phase LIST  only inside these phases, such as 'step:10-20'\n"
    "      --trace-ranks LIST  only of these ranks, such as 0-3,7\n"
    "      --trace-longer TIME  only what takes as long, such as 10us\n"
    "      --trace-tick TIME  how exact times are: 1ns (the default), or 16ns for\n"
    "                        smaller traces\n"
    "      --trace-python LIST  also functions of Python: own, those of the program\n"
    "                        itself; all; or of packages such as solver,numpy\n"
    "      --trace-flush WHEN  when what was recorded is stored: full, as soon as\n"
    "                        that memory is full (the default); end, alone at\n"
    "                        the end: what does not fit is lost, and counted;\n"
    "                        or sync[:N[:PERCENT]], besides together, if at every\n"
    "                        N-th collective call of all MPI ranks (8) one has\n"
    "                        filled so much of it (50), as sync:4:70\n"
    "      --trace-flushes N  at most so often in each process; then recording ends\n"
    "      --trace-sink WHERE  what files the trace has: shared, one (the default);\n"
    "                        shared:M, besides M in which ranks have slots;\n"
    "                        process, one each; node[:DIR], one a node in DIR\n"
    "                        (/tmp), copied at the end; memory, none until the\n"
    "                        end; null: nothing is kept, as shared:4\n"
    "      --trace-size SIZE  the same once the trace has so many bytes, as 20G\n"
    "      --trace-clocks WHEN  when the clocks of nodes are compared: auto, at both\n"
    "                        ends of an MPI program; end; always; never\n"
    "      --cluster         ranks of an MPI program find out which of them did the\n"
    "                        same, in all and in each phase (docs/clustering.md)\n"
    "      --reduce HOW      what ranks of an MPI program bring together at its end:\n"
    "                        auto, always, never; or clusters: the log keeps\n"
    "                        ranks that stand for others, and sums of those\n"
    "                        (docs/parallel.md, docs/clustering.md)\n"
    "      --interim TIME    write what was done so far to LOG.so-far.hr every 90s,\n"
    "                        10m or 6h, until the log is complete\n"
    "      --anonymize       write tokens for paths, arguments, hosts and users\n"
    "                        (docs/anonymize.md says what stays)\n"
    "      --forward [PREFIX=]DIR@ADDRESS[,ADDRESS...]\n"
    "                        paths below PREFIX (default: DIR) are below DIR at\n"
    "                        forwarding servers, such as\n"
    "                        /fwd=/scratch/run7@unix:/tmp/run7.sock;\n"
    "                        see docs/forward.md\n"
    "      --forward-secret FILE  what servers on other nodes ask for\n"
    "      --forward-timeout SECONDS  after which a call that no server answers\n"
    "                        fails with EIO (default: 60)\n"
    "      --emulate PROFILE  let files be as slow as those of another file system:\n"
    "                        200us for each read and write, a file mine.toml, or a\n"
    "                        machine, such as intrepid (docs/bench/emulation.md)\n"
    "      --emulate-dir DIR  files below it (default: the working directory)\n"
    "      --spool DIR       keep records in DIR, on a local file system, while\n"
    "                        processes run (default: $HEADRACE_SPOOL, /dev/shm,\n"
    "                        $TMPDIR, /tmp or /var/tmp)\n"
    "      --config FILE     site configuration (default: $HEADRACE_CONFIG,\n"
    "                        PREFIX/etc/headrace.conf or /etc/headrace.conf)\n"
    "  -q, --quiet           say nothing at the end\n"
    "      --help            show this\n"
    "\n"
    "Stdout and stderr are the command's alone: where the log is, is said only when\n"
    "stderr is a terminal. In scripts name the log with -o, or look for the default\n"
    "name in the directory where the command was started. A log that cannot be\n"
    "written there goes to $TMPDIR, /tmp, /var/tmp or /dev/shm; that is always said.\n"
    "docs/ is in the directory that `headrace config --documents` prints.\n"
    "\n"
    "The exit status is the command's. 125: a mistake in the options or settings;\n"
    "126: COMMAND cannot be run; 127: COMMAND is not found.\n"
    "HEADRACE=off in the environment runs COMMAND without capture.\n"
    "\n"
    "Example:\n"
    "  headrace run -o write.hr -- dd if=/dev/zero of=/tmp/zeros bs=64k count=100\n"
    "  headrace show write.hr\n";

const char kCollectHelp[] =
    "Usage: headrace collect [OPTION]... [DIR|LOG]...\n"
    "Makes logs of the records that processes left behind: of a `headrace run` that\n"
    "was killed or ran on another node, or of programs run with\n"
    "LD_PRELOAD=libheadrace.so. Processes that still run are left alone; collect\n"
    "again when they have ended.\n"
    "\n"
    "  DIR                   where records are, or a place that HEADRACE_SPOOL or\n"
    "                        --spool named (default: all of yours that are in\n"
    "                        $HEADRACE_SPOOL or else in /dev/shm, $TMPDIR, /tmp or\n"
    "                        /var/tmp, and of no `headrace run` that still works)\n"
    "  LOG                   with -o: another log that goes into the one\n"
    "  -o, --output FILE     one log; a log that is there is kept as FILE.old,\n"
    "                        any other file is refused (default: for\n"
    "                        each directory the one that its `headrace run` was\n"
    "                        to make, or else in this directory\n"
    "                        headrace-collect-ID.hr for ranks of a parallel program,\n"
    "                        headrace-collect-DATE-TIME-PID.hr for others, or\n"
    "                        where the site's configuration says)\n"
    "      --anonymize       write tokens for paths, arguments, hosts and users;\n"
    "                        what was run with it is always collected so\n"
    "  -q, --quiet           say nothing unless something is wrong\n"
    "      --help            show this\n"
    "\n"
    "The exit status is 0 when all was collected or nothing was there, 1 when\n"
    "something could not be collected, 125 for a mistake in the options.\n"
    "\n"
    "Example:\n"
    "  LD_PRELOAD=/opt/headrace/lib/headrace/libheadrace.so ./simulation\n"
    "  headrace collect -o simulation.hr\n";

const char kSnapshotHelp[] =
    "Usage: headrace snapshot [OPTION]... [DIR]\n"
    "Writes what a job has done so far into a log of its own, while the job runs under\n"
    "`headrace run` on this node. The job and its own log are not touched.\n"
    "\n"
    "  DIR                   where the job's records are (default: of the only job of\n"
    "                        yours that runs on this node)\n"
    "  -o, --output FILE     the log; an earlier snapshot there is replaced at once\n"
    "                        (default: LOG.so-far.hr beside the job's log)\n"
    "  -q, --quiet           say nothing unless something is wrong\n"
    "      --help            show this\n"
    "\n"
    "The exit status is 0 when it was written, 1 when it could not be, 125 for a\n"
    "mistake in the options or when there is no such job.\n"
    "\n"
    "Example:\n"
    "  headrace snapshot -o now.hr && headrace phases now.hr\n";

namespace {

/// Walks options in the manner of getopt_long, without its globals.
class Walker {
 public:
  explicit Walker(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  /// Moves to the next option; false at the first other argument, which is then at position().
  bool next() {
    value_.reset();
    if (at_ >= arguments_.size()) return false;
    const std::string& text = arguments_[at_];
    if (text == "--") {
      ++at_;
      return false;
    }
    if (text.size() < 2 || text[0] != '-') return false;
    ++at_;
    const size_t equals = text.find('=');
    if (text.starts_with("--") && equals != std::string::npos) {
      name_ = text.substr(0, equals);
      value_ = text.substr(equals + 1);
    } else if (text.starts_with("-o") && text.size() > 2) {
      name_ = "-o";
      value_ = text.substr(2);
    } else {
      name_ = text;
    }
    return true;
  }

  bool is(std::string_view name, std::string_view other = "") const {
    return name_ == name || (!other.empty() && name_ == other);
  }
  const std::string& name() const { return name_; }
  size_t position() const { return at_; }

  Result<std::string> value() {
    if (value_.has_value()) return *value_;
    if (at_ >= arguments_.size()) return Status(Code::kInvalid, name_ + " needs a value");
    return arguments_[at_++];
  }
  bool has_value() const { return value_.has_value(); }
  Status no_value() const { return value_.has_value() ? Status(Code::kInvalid, name_ + " takes no value") : Status(); }

 private:
  const std::vector<std::string>& arguments_;
  size_t at_ = 0;
  std::string name_;
  std::optional<std::string> value_;
};

Status unknown(const std::string& name, const char* command) {
  return {Code::kInvalid, "unknown option " + name + "; see `headrace " + command + " --help`"};
}

Status check_output(const std::string& name, const std::string& value) {
  if (value.empty()) return {Code::kInvalid, name + " needs the name of a file"};
  if (value != "-") return {};
  return {Code::kInvalid, name + " -: a log cannot go to stdout, which is the command's; give the name of a file"};
}

/// --trace-memory and its like: their values are settings of nearly the same names.
bool is_trace_setting(const std::string& name) { return name.starts_with("--trace-"); }

bool is_forward_setting(const std::string& name) { return name == "--forward" || name.starts_with("--forward-"); }

bool is_emulate_setting(const std::string& name) { return name == "--emulate" || name == "--emulate-dir"; }

Status apply_emulate(const std::string& name, const std::string& value, RunSettings* settings) {
  if (value.empty()) return {Code::kInvalid, name + " needs a value"};
  (name == "--emulate" ? settings->emulate : settings->emulate_directory) = value;
  return {};
}

/// A path below a prefix, which is not there for this process, as the servers name it, where that directory is here.
std::string at_servers(const std::string& path, const forward::program::Setup& setup) {
  for (const forward::program::Spec& spec : setup.specs) {
    const bool below = path.starts_with(spec.prefix + "/") && access(spec.directory.c_str(), X_OK) == 0;
    if (below) return spec.directory + path.substr(spec.prefix.size());
  }
  return path;
}

Status apply_forward(const std::string& name, const std::string& value, forward::program::Setup* setup) {
  if (name == "--forward") {
    HEADRACE_ASSIGN(forward::program::Spec spec, forward::program::parse_spec(value));
    setup->specs.push_back(std::move(spec));
  } else if (name == "--forward-secret") {
    if (value.empty()) return {Code::kInvalid, name + " needs a value"};
    setup->secret = absolute_path(value);
  } else {
    char* end = nullptr;
    const unsigned long seconds = strtoul(value.c_str(), &end, 10);
    if (end == value.c_str() || (*end != '\0' && std::string(end) != "s") || seconds < 1 || seconds > 86'400)
      return {Code::kInvalid, name + " " + value + ": give seconds, 1 to 86400"};
    setup->timeout_seconds = static_cast<uint32_t>(seconds);
  }
  return {};
}

std::string key_of(const std::string& option) {
  std::string key = option.substr(2);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

/// The configuration file has to be known before the other options are applied over it.
Result<std::string> find_configuration(const std::vector<std::string>& arguments) {
  std::string path;
  Walker walk(arguments);
  while (walk.next()) {
    if (walk.is("--config")) {
      HEADRACE_ASSIGN(path, walk.value());
    } else if (walk.is("-o", "--output") || walk.is("--memory") || walk.is("--include") || walk.is("--exclude") ||
               walk.is("--spool") || walk.is("--capture") || walk.is("--interim") || walk.is("--reduce") ||
               is_trace_setting(walk.name()) || is_forward_setting(walk.name()) || is_emulate_setting(walk.name())) {
      const auto skipped = walk.value();
      if (!skipped.ok()) return skipped.status();
    }
  }
  return path;
}

Status say_source(const Status& status, const std::string& source) {
  if (status.ok() || status.code() == Code::kInvalid) return status;  // a mistake in the file has file and line
  return {status.code(), source + " " + status.message() + "; give a file that can be read, or leave it out"};
}

/// Adds what a file says if all of it can be used.
void add_unasked(const std::string& path, RunSettings* settings, std::string* warning) {
  RunSettings with = *settings;
  const Status status = read_configuration(path, &with);
  if (status.ok())
    *settings = std::move(with);
  else if (status.code() != Code::kNotFound)
    *warning += (warning->empty() ? "" : "; ") + status.message() + "; none of its settings are used";
}

}  // namespace

Status read_site_file(const std::string& named, RunSettings* settings, std::string* warning) {
  const char* variable = getenv("HEADRACE_CONFIG");
  if (!named.empty())
    HEADRACE_TRY(say_source(read_configuration(named, settings), "--config"));
  else if (variable != nullptr && *variable != '\0')
    HEADRACE_TRY(say_source(read_configuration(variable, settings), "HEADRACE_CONFIG"));
  else
    add_unasked(site_configuration(), settings, warning);
  return {};
}

Status read_files(const std::string& named, RunSettings* settings, std::string* warning) {
  HEADRACE_TRY(read_site_file(named, settings, warning));
  const std::string own = settings->user_configuration ? user_configuration() : "";
  if (!own.empty()) add_unasked(own, settings, warning);
  return {};
}

Result<RunSettings> parse_run(const std::vector<std::string>& arguments, std::string* warning) {
  RunSettings settings;
  HEADRACE_ASSIGN(const std::string named, find_configuration(arguments));
  HEADRACE_TRY(read_files(named, &settings, warning));
  HEADRACE_TRY(read_environment(&settings));
  Walker walk(arguments);
  std::string choice;
  bool forward_choice = false;
  while (walk.next()) {
    if (walk.is("--help", "-h")) return Status(Code::kNotFound, "help");
    if (walk.is("--trace")) {
      HEADRACE_TRY(apply_setting("trace", walk.has_value() ? *walk.value() : "1", "--trace", &settings));
      continue;
    }
    if (walk.is("-q", "--quiet") || walk.is("--file-sizes") || walk.is("--cluster") || walk.is("--anonymize")) {
      HEADRACE_TRY(walk.no_value());
      (walk.is("--file-sizes")  ? settings.file_sizes
       : walk.is("--cluster")   ? settings.cluster
       : walk.is("--anonymize") ? settings.anonymize
                                : settings.quiet) = true;
      continue;
    }
    const bool is_output = walk.is("-o", "--output");
    if (!is_output && !walk.is("--memory") && !walk.is("--include") && !walk.is("--exclude") && !walk.is("--spool") &&
        !walk.is("--capture") && !walk.is("--interim") && !walk.is("--reduce") && !is_trace_setting(walk.name()) &&
        !walk.is("--config") && !walk.is("--forward") && !walk.is("--forward-secret") &&
        !walk.is("--forward-timeout") && !is_emulate_setting(walk.name())) {
      return unknown(walk.name(), "run");
    }
    const std::string name = walk.name();
    HEADRACE_ASSIGN(const std::string value, walk.value());
    if (is_output) HEADRACE_TRY(check_output(name, value));
    if (name == "--capture" && value != "phases" && value != "all")
      return Status(Code::kInvalid, "--capture is phases or all, not " + value);
    if (name == "--spool") settings.spool_by_option = true;
    if (is_output)
      settings.output = value;
    else if (is_forward_setting(name))
      HEADRACE_TRY(apply_forward(name, value, &settings.forward));
    else if (is_emulate_setting(name))
      HEADRACE_TRY(apply_emulate(name, value, &settings));
    else if (name != "--config")
      HEADRACE_TRY(apply_setting(key_of(name), value, name, &settings));
    if (is_trace_setting(name)) choice = name;
    forward_choice |= is_forward_setting(name);
  }
  if (!choice.empty() && !settings.trace) return Status(Code::kInvalid, choice + " is about a trace: add --trace");
  if (settings.anonymize && settings.trace)
    return Status(Code::kInvalid, "--trace keeps the names of files; leave out --anonymize or --trace");
  if (settings.anonymize && settings.interim_seconds != 0)
    return Status(Code::kInvalid, "--interim makes no snapshots without names; leave out --anonymize or --interim");
  if (settings.forward.specs.empty() && (!settings.forward.secret.empty() || forward_choice))
    return Status(Code::kInvalid, "--forward-secret and --forward-timeout go with --forward");
  if (settings.emulate.empty() && !settings.emulate_directory.empty())
    return Status(Code::kInvalid, "--emulate-dir goes with --emulate");
  settings.output = at_servers(settings.output, settings.forward);
  settings.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(walk.position()), arguments.end());
  if (settings.command.empty()) {
    return Status(Code::kInvalid, "no command given; for example: headrace run -- ls -l (see `headrace run --help`)");
  }
  return settings;
}

namespace {

Status take_collect_options(Walker& walk, CollectSettings* settings) {
  while (walk.next()) {
    if (walk.is("--help", "-h")) return {Code::kNotFound, "help"};
    if (walk.is("-q", "--quiet") || walk.is("--anonymize")) {
      HEADRACE_TRY(walk.no_value());
      (walk.is("--anonymize") ? settings->anonymize : settings->quiet) = true;
    } else if (walk.is("-o", "--output")) {
      const std::string name = walk.name();
      HEADRACE_ASSIGN(settings->output, walk.value());
      HEADRACE_TRY(check_output(name, settings->output));
    } else {
      return unknown(walk.name(), "collect");
    }
  }
  return {};
}

}  // namespace

Result<CollectSettings> parse_collect(const std::vector<std::string>& arguments, std::string* warning) {
  CollectSettings settings;
  HEADRACE_TRY(read_files("", &settings.site, warning));
  std::vector<std::string> rest = arguments;
  while (true) {  // options may follow sources
    const std::vector<std::string> words = std::move(rest);
    Walker walk(words);
    HEADRACE_TRY(take_collect_options(walk, &settings));
    const size_t at = walk.position();
    if (at >= words.size()) break;
    const bool options_ended = at > 0 && words[at - 1] == "--";
    const size_t end = options_ended ? words.size() : at + 1;
    settings.sources.insert(settings.sources.end(), words.begin() + static_cast<std::ptrdiff_t>(at),
                            words.begin() + static_cast<std::ptrdiff_t>(end));
    rest.assign(words.begin() + static_cast<std::ptrdiff_t>(end), words.end());
  }
  return settings;
}

Result<SnapshotSettings> parse_snapshot(const std::vector<std::string>& arguments) {
  SnapshotSettings settings;
  Walker walk(arguments);
  while (walk.next()) {
    if (walk.is("--help", "-h")) return Status(Code::kNotFound, "help");
    if (walk.is("-q", "--quiet")) {
      HEADRACE_TRY(walk.no_value());
      settings.quiet = true;
    } else if (walk.is("-o", "--output")) {
      const std::string name = walk.name();
      HEADRACE_ASSIGN(settings.output, walk.value());
      HEADRACE_TRY(check_output(name, settings.output));
    } else {
      return unknown(walk.name(), "snapshot");
    }
  }
  if (walk.position() + 1 < arguments.size()) return Status(Code::kInvalid, "snapshot takes one directory");
  if (walk.position() < arguments.size()) settings.directory = arguments[walk.position()];
  return settings;
}

}  // namespace headrace::programs
