// The `headrace` command. What has to start fast is native; everything else is the Python package's.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "capture/flush_layout.h"
#include "capture/harvest/event_flush.h"
#include "capture/static_note.h"
#include "programs/headrace/bench.h"
#include "programs/headrace/collect.h"
#include "programs/headrace/exit_status.h"
#include "programs/headrace/forward_up.h"
#include "programs/headrace/log_directories.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/monitor.h"
#include "programs/headrace/mount.h"
#include "programs/headrace/places.h"
#include "programs/headrace/run.h"
#include "programs/headrace/scan.h"
#include "programs/headrace/serve.h"
#include "programs/headrace/site.h"
#include "programs/headrace/snapshot.h"
#include "programs/headrace/under_capture.h"
#include "programs/headrace/wrap.h"
#include "programs/process.h"

/// A program that this becomes may be captured though this cannot (capture/recorder/target.cc reads it).
HEADRACE_STATIC_NOTE;

namespace headrace::programs {
namespace {

constexpr char kUsage[] =
    "Usage: headrace COMMAND [ARGUMENT]...\n"
    "See, explain and fix the I/O of programs.\n"
    "\n"
    "  run      run a command and record its I/O in a log\n"
    "  collect  make a log of records that processes left behind\n"
    "  snapshot write what a running job has done so far into a log\n"
    "  serve    serve files to other processes (forwarding)\n"
    "  forward  run a command with forwarding servers of its own\n"
    "  mount    show the files of forwarding servers to all programs\n"
    "  status   show what forwarding servers are doing\n"
    "  bench    run an I/O workload and measure it\n"
    "  scan     count what is in a file system\n"
    "  monitor  sample block devices and Lustre servers into a store\n"
    "  config   print where things are and what to link programs with\n"
    "  wrap     run a compiler that links programs with the capture library\n"
    "  make-log-directories\n"
    "           make a site's directories for logs\n"
    "\n"
    "All other commands need the Python package, which is not installed beside this command.\n"
    "`headrace run --help` says more.\n";

/// As `python -m headrace`, which would look for modules in the working directory first, and take a json.py there for
/// Python's own. (Option -P is younger than the oldest Python that will do, and PYTHONSAFEPATH would be handed on.)
constexpr char kStart[] =
    "import sys\n"
    "if sys.path[0] == '': del sys.path[0]\n"
    "from headrace.commands import main\n"
    "sys.exit(main())\n";

/// What Python sets when it hands a command on to this program: should this hand it back, neither has it.
constexpr char kHandedOn[] = "HEADRACE_HANDED_ON";

/// Returns when that is no program.
void become(const std::vector<std::string>& before, const std::vector<std::string>& arguments) {
  std::vector<char*> list;
  for (const auto* words : {&before, &arguments}) {
    for (const std::string& word : *words) list.push_back(const_cast<char*>(word.c_str()));
  }
  list.push_back(nullptr);
  execv(list[0], list.data());
}

int become_python(const std::vector<std::string>& arguments, const std::string& handed_on) {
  if (!handed_on.empty()) setenv(kHandedOn, handed_on.c_str(), 1);
  const std::string python = own_directory() + "/python3";
  // Its first line names the Python that the package was installed for. There is none in a prefix that was put together
  // by hand, and that Python is gone when an environment was moved: then it is the one here.
  become({own_directory() + "/headrace-python"}, arguments);
  become({python, "-c", kStart}, arguments);
  const int why = errno;
  const bool asks_help =
      arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help";
  if (asks_help) return write(STDOUT_FILENO, kUsage, sizeof kUsage - 1) < 0 ? 1 : 0;
  const std::string needs = "`headrace " + arguments[0] + "` needs the Python package: " + python;
  if (why == EACCES)
    say(needs + " may not be run by this user; ask its owner for access to its directories, or install Headrace anew");
  else
    say(needs + ": " + strerror(why) +
        "; install the wheel that this command came with again, or use `python3 -P -m headrace` where it is installed");
  return why == EACCES ? kCannotRun : kNotFound;
}

/// "mpicc" of ".../headrace-mpicc", a link to this command; "" when it is called by its own name.
std::string called_as(const std::string& word) {
  const std::string name = word.substr(word.rfind('/') + 1);
  return name.starts_with("headrace-") ? name.substr(strlen("headrace-")) : "";
}

int main_of(const std::vector<std::string>& arguments) {
  const std::string command = arguments.empty() ? "" : arguments[0];
  const char* handed = getenv(kHandedOn);
  const std::string handed_on = handed != nullptr ? handed : "";
  unsetenv(kHandedOn);  // it is nothing to programs that this runs
  const std::vector<std::string> rest(arguments.begin() + (arguments.empty() ? 0 : 1), arguments.end());
  if (command == "run" && ends_forwarding(rest)) {
    say("run: it cannot hand forwarding on: give it --forward as well, or run the program itself under --forward");
    return 125;
  }
  if (command != "bench") leave_capture();
  if (command == "run") return run(rest);
  if (command == "collect") return collect(rest);
  if (command == "snapshot") return snapshot(rest);
  if (command == "config") return config(rest);
  if (command == "serve") return serve(rest);
  if (command == "forward") return forward(rest);
  if (command == "mount") return mount_servers(rest);
  const bool of_python = !rest.empty() && (rest[0] == "paper" || rest[0] == "parquet" || rest[0] == "facility");
  if (command == "bench" && !of_python) return bench(rest);
  if (command == "scan" && !scan_is_of_files(rest)) return scan(rest);
  if (command == "monitor" && !monitor_is_of_samples(rest)) return monitor(rest);
  if (command == "status") return server_status(rest);
  if (command == "wrap") return wrap(rest);
  if (command == capture::kFlushCommand && rest.size() == 1) return capture::flush_event_file(rest[0]);
  if (command == "make-log-directories") return make_log_directories(rest);
  if (command == "--version" || command == "-V") {
    constexpr char kVersion[] = "headrace " HEADRACE_VERSION "\n";
    return write(STDOUT_FILENO, kVersion, sizeof kVersion - 1) < 0 ? 1 : 0;
  }
  return become_python(arguments, handed_on);
}

}  // namespace
}  // namespace headrace::programs

int main(int count, char** values) {
  headrace::programs::reserve_standard_streams();
  const std::string called = headrace::programs::called_as(count > 0 ? values[0] : "");
  if (!called.empty()) {
    std::vector<std::string> words(values, values + count);
    words[0] = called;
    headrace::programs::leave_capture();
    return headrace::programs::wrap(words);
  }
  return headrace::programs::main_of(std::vector<std::string>(values + (count > 0 ? 1 : 0), values + count));
}
