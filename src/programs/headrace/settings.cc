#include "programs/headrace/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "capture/flush_together.h"
#include "capture/harvest/small_file.h"
#include "capture/harvest/trace_sink.h"
#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;

constexpr size_t kLongestRules = 3500;  // bytes of all prefixes: the recorder's table has fixed size
constexpr size_t kLongestFile = 1 << 20;

Status add_rule(bool exclude, const std::string& prefix, const std::string& place, RunSettings* settings) {
  if (prefix.empty()) return {Code::kInvalid, place + ": a path prefix is missing"};
  if (prefix.find('\n') != std::string::npos) return {Code::kInvalid, place + ": a path prefix cannot hold a newline"};
  std::string absolute = prefix;
  if (prefix[0] != '/') {
    char directory[4096];
    if (getcwd(directory, sizeof directory) == nullptr) {
      return {Code::kInvalid, place + ": give an absolute prefix; the working directory has no name"};
    }
    absolute = std::string(directory) + "/" + prefix;
  }
  size_t length = absolute.size();
  for (const Rule& rule : settings->rules) length += rule.prefix.size();
  if (length > kLongestRules) {
    return {Code::kLimit, place + ": prefixes may have " + std::to_string(kLongestRules) +
                              " bytes in all; use shorter or fewer ones"};
  }
  settings->rules.push_back({exclude, absolute});
  return {};
}

Status add_rules(const char* list, bool exclude, const std::string& place, RunSettings* settings) {
  std::string_view rest = list == nullptr ? "" : list;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) HEADRACE_TRY(add_rule(exclude, std::string(rest.substr(0, end)), place, settings));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

base::Result<bool> parse_switch(const std::string& text, const std::string& place) {
  for (const char* yes : {"1", "yes", "on", "true"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"0", "no", "off", "false"}) {
    if (text == no) return false;
  }
  return Status(Code::kInvalid, place + ": \"" + text + "\" is neither 1 nor 0");
}

/// Octal digits of permissions. A log is data: nobody needs to execute it, and its owner must be able to read it.
base::Result<uint32_t> parse_mode(const std::string& text, const std::string& place) {
  uint32_t mode = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mode, 8);
  if (error != std::errc() || end != text.data() + text.size() || (mode & ~0666u) != 0 || (mode & 0400) == 0) {
    return Status(Code::kInvalid, place + ": \"" + text + "\" is no mode of a log; write for example 0400 or 0440");
  }
  return mode;
}

Status add_pattern(const std::string& value, const std::string& place, RunSettings* settings) {
  constexpr size_t kLongest = 200;
  if (value.empty() || value.size() > kLongest) {
    return {Code::kInvalid, place + ": never_capture needs a name like ssh or *-daemon, or a path like /opt/tools/*"};
  }
  settings->never_capture.push_back(value);
  return {};
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && strchr(" \t\r", text.front()) != nullptr) text.remove_prefix(1);
  while (!text.empty() && strchr(" \t\r", text.back()) != nullptr) text.remove_suffix(1);
  return text;
}

/// Seconds of "90", "90s", "10m", "6h"; 0 and "never" are none.
base::Result<uint64_t> parse_interval(const std::string& value, const std::string& place) {
  if (value == "never") return uint64_t{0};
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const std::string_view unit(end, static_cast<size_t>(value.data() + value.size() - end));
  const uint64_t factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (error != std::errc() || factor == 0 || number > 1'000'000)
    return Status(Code::kInvalid, place + ": interim is an interval like 90s, 10m or 6h, or never, not " + value);
  return number * factor;
}

}  // namespace

base::Result<uint64_t> parse_size(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  uint32_t shift = 0;
  if (!unit.empty()) {
    static constexpr std::string_view kUnits = "KMGT";
    const size_t which = kUnits.find(static_cast<char>(unit[0] & ~0x20));
    if (which == std::string_view::npos)
      shift = 64;
    else
      shift = 10 * (static_cast<uint32_t>(which) + 1);
    unit.remove_prefix(1);
    if (unit == "iB" || unit == "B") unit = {};
  }
  if (error != std::errc() || shift >= 64 || !unit.empty() || value > (UINT64_MAX >> shift)) {
    return Status(Code::kInvalid, "\"" + text + "\" is no size; write for example 4M or 512K");
  }
  return value << shift;
}

/// Of a process, for records or events.
base::Result<uint64_t> parse_memory(const std::string& value, uint64_t least, const std::string& least_text,
                                    const std::string& place) {
  const auto bytes = parse_size(value);
  if (!bytes.ok()) return Status(Code::kInvalid, place + ": " + bytes.message());
  if (*bytes >= least && *bytes <= kLargestMemory) return *bytes;
  const std::string bound = *bytes < least ? "at least " + least_text : "at most 4095M";
  return Status(Code::kInvalid, place + ": a process can have " + bound + " of memory for records, not " + value);
}

namespace {

void choose(const std::string& key, const std::string& value, RunSettings* settings) {
  auto& choice = settings->trace_choice;
  choice.erase(std::remove_if(choice.begin(), choice.end(), [&](const auto& each) { return each.first == key; }),
               choice.end());
  choice.emplace_back(key, value);
}

/// A switch, or a list of modules.
Status set_trace(const std::string& value, const std::string& place, RunSettings* settings) {
  const uint32_t modules = capture::trace_modules_of(value.c_str());
  const auto on = modules != 0 ? base::Result<bool>(true) : parse_switch(value, place);
  if (!on.ok())
    return {Code::kInvalid,
            place + ": \"" + value +
                "\" is neither 1 nor 0, nor a list of modules such as posix,mpi: there are posix, stdio, "
                "mpi, messages, mpiio, hdf5, pnetcdf, forward, phases, regions, functions and sync, and all; a - "
                "leaves one out"};
  settings->trace = *on;
  settings->trace_filter.modules = modules != 0 ? modules : capture::kDefaultTraceModules;
  choose("trace", *on ? (modules != 0 ? value : "1") : "0", settings);
  return {};
}

/// What is wrong with a part of the filter of traces.
std::string filter_mistake(const std::string& key, const std::string& value) {
  const char* wanted = key == "trace_phase"    ? "names of phases, such as dump or step:10-20,30"
                       : key == "trace_ranks"  ? "ranks, such as 0-3,7"
                       : key == "trace_longer" ? "a time, such as 500ns, 10us or 1ms"
                       : key == "trace_tick"   ? "a power of two from 1ns to 1024ns, such as 16ns"
                                               : "patterns of names, such as MPI_*,pwrite";
  const bool is_list = key != "trace_longer" && key != "trace_tick";
  const std::string most = is_list ? ", of at most " + std::to_string(capture::kLongestTraceList - 1) + " bytes" : "";
  return key + " is " + wanted + most + ", not \"" + value + "\"";
}

}  // namespace

Status apply_setting(const std::string& key, const std::string& value, const std::string& place,
                     RunSettings* settings) {
  if (key == "include" || key == "exclude") return add_rule(key == "exclude", value, place, settings);
  if (key == "memory") {
    HEADRACE_ASSIGN(settings->memory, parse_memory(value, kSmallestMemory, "128K", place));
    return {};
  }
  if (key == "trace") return set_trace(value, place, settings);
  if (key == "trace_memory") {
    HEADRACE_ASSIGN(settings->trace_memory, parse_memory(value, kSmallestTraceMemory, "1M", place));
    return {};
  }
  if (key == "trace_flush") {
    capture::FlushTogether together{};
    if (value != "full" && value != "end" && !capture::read_flush_together(value.c_str(), &together))
      return {Code::kInvalid, place + ": trace_flush is full, end, or sync, sync:N or sync:N:PERCENT, not " + value};
    settings->trace_flush = value;
    return {};
  }
  if (key == "trace_clocks") {
    if (value != "auto" && value != "end" && value != "never" && value != "always")
      return {Code::kInvalid, place + ": trace_clocks is auto, end, never or always, not " + value};
    settings->trace_clocks = value;
    return {};
  }
  if (key == "trace_flushes") {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), settings->trace_flushes);
    if (error != std::errc() || end != value.data() + value.size())
      return {Code::kInvalid, place + ": trace_flushes is a number, not " + value};
    return {};
  }
  if (key == "trace_sink") {
    if (!capture::read_sink_choice(value))
      return {Code::kInvalid, place +
                                  ": trace_sink is shared, shared:M with a number of files, process, node, node:DIR "
                                  "with a whole path, memory or null, not " +
                                  value};
    settings->trace_sink = value;
    return {};
  }
  if (key == "trace_size") {
    const auto bytes = parse_size(value);
    if (!bytes.ok()) return {Code::kInvalid, place + ": " + bytes.message()};
    settings->trace_size = *bytes;
    return {};
  }
  if (key == "trace_python") {
    if (!value.empty() && !capture::are_trace_packages(value.c_str()))
      return {
          Code::kInvalid,
          place + ": trace_python is own, all or a list of packages such as mypackage,numpy, not \"" + value + "\""};
    settings->trace_python = value;
    return {};
  }
  switch (capture::set_trace_filter(settings->trace_filter, key.c_str(), value.c_str())) {
    case capture::TraceSetting::kUnknown:
      break;
    case capture::TraceSetting::kSenseless:
      return {Code::kInvalid, place + ": " + filter_mistake(key, value)};
    case capture::TraceSetting::kTaken:
      choose(key, value, settings);
      return {};
  }
  if (key == "file_sizes") {
    HEADRACE_ASSIGN(settings->file_sizes, parse_switch(value, place));
    return {};
  }
  if (key == "cluster") {
    HEADRACE_ASSIGN(settings->cluster, parse_switch(value, place));
    return {};
  }
  if (key == "reduce") {
    if (value != "auto" && value != "always" && value != "never" && value != "clusters")
      return {Code::kInvalid, place + ": reduce is auto, always, clusters or never, not " + value};
    settings->reduce = value;
    return {};
  }
  if (key == "reduce_patience") {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), settings->reduce_patience);
    if (error != std::errc() || end != value.data() + value.size() || settings->reduce_patience < 1 ||
        settings->reduce_patience > 3600)
      return {Code::kInvalid, place + ": reduce_patience is a number of seconds from 1 to 3600, not " + value};
    return {};
  }
  if (key == "interim") {
    HEADRACE_ASSIGN(settings->interim_seconds, parse_interval(value, place));
    return {};
  }
  if (key == "never_capture") return add_pattern(value, place, settings);
  if (key == "capture") {  // on and off are for programs without a launcher: the recorder's
    settings->phases_only = value == "phases";
    return value == "phases" || value == "all" ? Status() : parse_switch(value, place).status();
  }
  if (key == "user_configuration") {
    HEADRACE_ASSIGN(settings->user_configuration, parse_switch(value, place));
    return {};
  }
  if (key == "log_mode") {
    HEADRACE_ASSIGN(settings->log_mode, parse_mode(value, place));
    return {};
  }
  if (key == "log_directory") {
    if (value.empty() || value[0] != '/') return {Code::kInvalid, place + ": log_directory must be an absolute path"};
    settings->log_directory = value.substr(0, value.find_last_not_of('/') + 1);
    return {};
  }
  if (key == "spool") {
    if (value.empty() || value[0] != '/')
      return {Code::kInvalid, place + ": the spool directory must be an absolute path"};
    settings->spool = value;
    return {};
  }
  if (key == "topology") {
    settings->topology = value;
    return {};
  }
  return {Code::kInvalid,
          place + ": unknown key \"" + key +
              "\"; known are log_directory, log_mode, capture, never_capture, user_configuration, memory, include, "
              "exclude, file_sizes, cluster, interim, reduce, reduce_patience, spool, topology, trace, trace_memory, "
              "trace_clocks, trace_flush, trace_flushes, trace_sink, trace_size, trace_only, trace_skip, trace_phase, "
              "trace_ranks, trace_longer, trace_tick and trace_python"};
}

std::string site_configuration() {
  const char* variable = getenv("HEADRACE_CONFIG");
  if (variable != nullptr && *variable != '\0') return variable;
  const std::string own = prefix() + "/etc/headrace.conf";
  return access(own.c_str(), F_OK) == 0 ? own : "/etc/headrace.conf";
}

std::string user_configuration() {
  const char* directory = getenv("XDG_CONFIG_HOME");
  if (directory != nullptr && *directory == '/') return std::string(directory) + "/headrace.conf";
  const char* home = getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.config/headrace.conf" : "";
}

Status read_configuration(const std::string& path, RunSettings* settings) {
  if (access(path.c_str(), R_OK) != 0) {
    return {errno == ENOENT ? Code::kNotFound : Code::kIo, path + ": " + strerror(errno)};
  }
  const std::string text = capture::read_small_file(path.c_str(), kLongestFile);
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line[0] == '#') continue;
    const std::string place = path + ":" + std::to_string(number);
    const size_t equals = line.find('=');
    if (equals == std::string_view::npos) return {Code::kInvalid, place + ": expected key=value"};
    HEADRACE_TRY(apply_setting(std::string(trimmed(line.substr(0, equals))),
                               std::string(trimmed(line.substr(equals + 1))), place, settings));
  }
  return {};
}

Status read_environment(RunSettings* settings) {
  static constexpr struct {
    const char *variable, *key;
  } kSingle[] = {{"HEADRACE_MEMORY", "memory"},
                 {"HEADRACE_FILE_SIZES", "file_sizes"},
                 {"HEADRACE_CAPTURE", "capture"},
                 {"HEADRACE_INTERIM", "interim"},
                 {"HEADRACE_REDUCE", "reduce"},
                 {"HEADRACE_REDUCE_PATIENCE", "reduce_patience"},
                 {"HEADRACE_SPOOL", "spool"},
                 {"HEADRACE_TOPOLOGY", "topology"},
                 {"HEADRACE_CLUSTER", "cluster"},
                 {"HEADRACE_TRACE", "trace"},
                 {"HEADRACE_TRACE_MEMORY", "trace_memory"},
                 {"HEADRACE_TRACE_FLUSH", "trace_flush"},
                 {"HEADRACE_TRACE_CLOCKS", "trace_clocks"},
                 {"HEADRACE_TRACE_FLUSHES", "trace_flushes"},
                 {"HEADRACE_TRACE_SINK", "trace_sink"},
                 {"HEADRACE_TRACE_SIZE", "trace_size"},
                 {"HEADRACE_TRACE_ONLY", "trace_only"},
                 {"HEADRACE_TRACE_SKIP", "trace_skip"},
                 {"HEADRACE_TRACE_PHASE", "trace_phase"},
                 {"HEADRACE_TRACE_RANKS", "trace_ranks"},
                 {"HEADRACE_TRACE_LONGER", "trace_longer"},
                 {"HEADRACE_TRACE_TICK", "trace_tick"},
                 {"HEADRACE_TRACE_PYTHON", "trace_python"}};
  for (const auto& [variable, key] : kSingle) {
    const char* value = getenv(variable);
    if (value != nullptr && *value != '\0') HEADRACE_TRY(apply_setting(key, value, variable, settings));
  }
  HEADRACE_TRY(add_rules(getenv("HEADRACE_INCLUDE"), false, "HEADRACE_INCLUDE", settings));
  return add_rules(getenv("HEADRACE_EXCLUDE"), true, "HEADRACE_EXCLUDE", settings);
}

}  // namespace headrace::programs
