// What a captured run is asked for: the site's configuration file, the user's, the environment, then options. Later
// ones win. The recorder reads the same files where there is no launcher (capture/recorder/settings.cc).
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "capture/trace_filter.h"
#include "forward/program/spec.h"

namespace headrace::programs {

/// A path prefix to capture or to leave out. Of rules for one path the longest prefix decides, then the later rule.
struct Rule {
  bool exclude = false;
  std::string prefix;
};

struct RunSettings {
  std::string output;         // "" = a name made from the command and the time
  uint64_t memory = 4 << 20;  // bytes a process
  std::vector<Rule> rules;
  bool file_sizes = false;
  bool phases_only = false;           // nothing is recorded outside the program's phases
  bool trace = false;                 // events are recorded
  uint64_t trace_memory = 64 << 20;   // bytes a process for them
  std::string trace_clocks = "auto";  // when the clocks of nodes are compared
  std::string trace_flush = "full";   // when they are stored: if that is full, or at the end
  uint64_t trace_flushes = 0;         // of a process at most, 0 = any number
  uint64_t trace_size = 0;            // bytes of a trace at most, 0 = any number
  std::string trace_sink = "shared";  // where they go (capture/harvest/trace_sink.h)
  capture::TraceFilter trace_filter;
  std::string trace_python;  // functions of Python that are recorded: own, all or packages; "" = none
  std::vector<std::pair<std::string, std::string>> trace_choice;  // it as settings, for the recorder
  bool cluster = false;                                           // ranks of parallel programs, when they end
  std::string reduce = "auto";    // figures of parallel programs, when they end; or always, clusters or never
  uint64_t reduce_patience = 60;  // seconds that a rank waits for another one then
  uint64_t interim_seconds = 0;   // between snapshots of the running job, 0 = none
  bool quiet = false;
  bool anonymize = false;
  std::string log_directory;               // of logs that -o does not name, by day; "" = the working directory
  uint32_t log_mode = 0;                   // permissions of such a log, once it is complete
  std::vector<std::string> never_capture;  // patterns of programs
  bool user_configuration = true;
  std::string spool;                // preferred directory for the job directory, "" = none
  bool spool_by_option = false;     // the user asked for it here and now: nothing else will do
  forward::program::Setup forward;  // paths that go to forwarding servers, if any
  std::string emulate;              // profile of a file system (workload/emulation/profile.h), "" = none
  std::string emulate_directory;    // whose files are slow, "" = the working directory
  std::string topology;             // file that says which I/O nodes serve which nodes, "" = none
  std::vector<std::string> command;
};

inline constexpr uint64_t kSmallestMemory = 128 << 10;
inline constexpr uint64_t kSmallestTraceMemory = 1 << 20;
inline constexpr uint64_t kLargestMemory = (uint64_t{4} << 30) - (64 << 10);

/// Bytes of "4M", "65536", "1G", "512KiB". kInvalid with a message that repeats the text.
base::Result<uint64_t> parse_size(const std::string& text);

/// The site's file: $HEADRACE_CONFIG, or PREFIX/etc/headrace.conf if it is there, or /etc/headrace.conf.
std::string site_configuration();
/// The user's: headrace.conf in $XDG_CONFIG_HOME or ~/.config; "" when neither is known.
std::string user_configuration();
/// Adds the settings of one configuration file: "key=value" lines, "#" comments. kNotFound when it is not there;
/// kInvalid with file and line of the first mistake.
base::Status read_configuration(const std::string& path, RunSettings* settings);
/// Adds those of HEADRACE_MEMORY, HEADRACE_INCLUDE, HEADRACE_EXCLUDE (":"-separated), HEADRACE_FILE_SIZES,
/// HEADRACE_CAPTURE, HEADRACE_CLUSTER, HEADRACE_INTERIM, HEADRACE_REDUCE, HEADRACE_REDUCE_PATIENCE, HEADRACE_SPOOL,
/// HEADRACE_TOPOLOGY, HEADRACE_TRACE, and those of traces that begin so.
base::Status read_environment(RunSettings* settings);
/// Sets one value as configuration files name it; `place` begins the message of a mistake.
base::Status apply_setting(const std::string& key, const std::string& value, const std::string& place,
                           RunSettings* settings);

}  // namespace headrace::programs
