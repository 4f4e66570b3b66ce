#include "programs/headrace/options.h"

#include <stdlib.h>

#include <optional>
#include <string_view>

namespace headrace::programs {

using base::Code;
using base::Result;
using base::Status;

const char kRunHelp[] =
    "Usage: headrace run [OPTION]... [--] COMMAND [ARGUMENT]...\n"
    "Runs COMMAND and records the I/O of it and of every process it starts in one log.\n"
    "\n"
    "  -o, --output FILE     the log (default: headrace-COMMAND-DATE-TIME-PID.hr in this directory)\n"
    "      --memory SIZE     memory for records in each process (default: 4M)\n"
    "      --include PREFIX  capture paths that begin so, though a shorter prefix is excluded\n"
    "      --exclude PREFIX  only count paths that begin so, without a record for each\n"
    "      --file-sizes      also ask for the size of each file when it is opened\n"
    "      --spool DIR       keep records in DIR while processes run (default: /dev/shm, $TMPDIR, /tmp or /var/tmp)\n"
    "      --config FILE     site configuration (default: $HEADRACE_CONFIG or /etc/headrace.conf)\n"
    "  -q, --quiet           say nothing at the end\n"
    "      --help            show this\n"
    "\n"
    "The exit status is the command's. 125: a mistake in the options; 126: COMMAND cannot be run; 127: not found.\n"
    "HEADRACE=off in the environment runs COMMAND without capture.\n"
    "\n"
    "Example:\n"
    "  headrace run -o write.hr -- dd if=/dev/zero of=/tmp/zeros bs=64k count=100\n"
    "  headrace show write.hr\n";

const char kCollectHelp[] =
    "Usage: headrace collect [OPTION]... [DIR]...\n"
    "Makes a log of the records that processes left behind: of programs run with LD_PRELOAD=libheadrace.so, or of a\n"
    "`headrace run` that was killed. Processes that still run are left alone; collect again when they have ended.\n"
    "\n"
    "  DIR                   where records are (default: $HEADRACE_SPOOL/headrace-UID or /dev/shm/headrace-UID)\n"
    "  -o, --output FILE     the log (default: the one that `headrace run` began, or "
    "headrace-collect-DATE-TIME-PID.hr)\n"
    "  -q, --quiet           say nothing unless something is wrong\n"
    "      --help            show this\n"
    "\n"
    "Example:\n"
    "  LD_PRELOAD=/opt/headrace/lib/headrace/libheadrace.so ./simulation\n"
    "  headrace collect -o simulation.hr\n";

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

/// The configuration file has to be known before the other options are applied over it.
Result<std::string> find_configuration(const std::vector<std::string>& arguments) {
  std::string path;
  Walker walk(arguments);
  while (walk.next()) {
    if (walk.is("--config")) {
      HEADRACE_ASSIGN(path, walk.value());
    } else if (walk.is("-o", "--output") || walk.is("--memory") || walk.is("--include") || walk.is("--exclude") ||
               walk.is("--spool")) {
      const auto skipped = walk.value();
      if (!skipped.ok()) return skipped.status();
    }
  }
  if (!path.empty()) return path;
  const char* variable = getenv("HEADRACE_CONFIG");
  return std::string(variable != nullptr ? variable : "");
}

Status read_site(const std::vector<std::string>& arguments, RunSettings* settings, std::string* warning) {
  HEADRACE_ASSIGN(const std::string path, find_configuration(arguments));
  if (!path.empty()) return read_configuration(path, settings);
  RunSettings site = *settings;
  const Status status = read_configuration("/etc/headrace.conf", &site);
  if (status.ok())
    *settings = std::move(site);
  else if (status.code() != Code::kNotFound)
    *warning = status.message() + "; none of its settings are used";
  return {};
}

}  // namespace

Result<RunSettings> parse_run(const std::vector<std::string>& arguments, std::string* warning) {
  RunSettings settings;
  HEADRACE_TRY(read_site(arguments, &settings, warning));
  HEADRACE_TRY(read_environment(&settings));
  Walker walk(arguments);
  while (walk.next()) {
    if (walk.is("--help", "-h")) return Status(Code::kNotFound, "help");
    if (walk.is("-q", "--quiet") || walk.is("--file-sizes")) {
      HEADRACE_TRY(walk.no_value());
      (walk.is("--file-sizes") ? settings.file_sizes : settings.quiet) = true;
      continue;
    }
    const bool is_output = walk.is("-o", "--output");
    if (!is_output && !walk.is("--memory") && !walk.is("--include") && !walk.is("--exclude") && !walk.is("--spool") &&
        !walk.is("--config")) {
      return unknown(walk.name(), "run");
    }
    const std::string name = walk.name();
    HEADRACE_ASSIGN(const std::string value, walk.value());
    if (is_output && value.empty()) return Status(Code::kInvalid, name + " needs the name of a file");
    if (is_output)
      settings.output = value;
    else if (name != "--config")
      HEADRACE_TRY(apply_setting(name.substr(2), value, name, &settings));
  }
  settings.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(walk.position()), arguments.end());
  if (settings.command.empty()) {
    return Status(Code::kInvalid, "no command given; for example: headrace run -- ls -l (see `headrace run --help`)");
  }
  return settings;
}

Result<CollectSettings> parse_collect(const std::vector<std::string>& arguments) {
  CollectSettings settings;
  Walker walk(arguments);
  while (walk.next()) {
    if (walk.is("--help", "-h")) return Status(Code::kNotFound, "help");
    if (walk.is("-q", "--quiet")) {
      settings.quiet = true;
    } else if (walk.is("-o", "--output")) {
      HEADRACE_ASSIGN(settings.output, walk.value());
    } else {
      return unknown(walk.name(), "collect");
    }
  }
  settings.directories.assign(arguments.begin() + static_cast<std::ptrdiff_t>(walk.position()), arguments.end());
  if (!settings.output.empty() && settings.directories.size() > 1) {
    return Status(Code::kInvalid, "--output names one log, and each directory makes its own; collect them one by one");
  }
  return settings;
}

}  // namespace headrace::programs
