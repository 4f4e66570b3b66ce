#include "programs/bench/calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "base/json_text.h"
#include "programs/bench/outcome.h"
#include "programs/bench/words.h"
#include "workload/emulation/measure.h"
#include "workload/emulation/profile.h"
#include "workload/emulation/state_file.h"

namespace headrace::programs {
namespace {

namespace emulation = workload::emulation;
using base::Code;
using base::Result;
using base::Status;

constexpr int kMostProcesses = 256;
constexpr char kHelp[] =
    "Usage: headrace bench calibrate [OPTION]...\n"
    "Measures what the file system of a directory costs, for --emulate elsewhere:\n"
    "calls, names by one and several processes, bandwidth and locks.\n"
    "\n"
    "  -o, --output FILE     the profile, a new file (default: stdout)\n"
    "      --dir DIR         where the files are (default: the working directory)\n"
    "      --processes N     at most, that do something at once (default: one for\n"
    "                        each processor, at least 2)\n"
    "      --size SIZE       written and read for the bandwidth (default: 64M)\n"
    "      --json            constants and rates on stdout, as JSON\n"
    "  -q, --quiet           no progress\n"
    "      --help            show this\n"
    "\n"
    "Example:\n"
    "  headrace bench calibrate --dir /scratch/me -o scratch.toml\n"
    "  headrace bench ior --emulate ./scratch.toml --dir /tmp\n";

struct Settings {
  std::string output, directory = ".", emulated;
  int processes = static_cast<int>(std::max(2L, std::min<long>(sysconf(_SC_NPROCESSORS_ONLN), kMostProcesses)));
  uint64_t bytes = 64 << 20;
  bool json = false, quiet = false;
};

void say_of_calibration(const std::string& text) { fprintf(stderr, "headrace bench calibrate: %s\n", text.c_str()); }

volatile sig_atomic_t ended_by = 0;
void note_end(int number) { ended_by = number; }

Status apply(const std::string& name, const std::string& value, Settings* settings) {
  if (name == "-o" || name == "--output") {
    settings->output = value;
    if (access(value.c_str(), F_OK) == 0) return {Code::kInvalid, value + " is there already; name another file"};
  } else if (name == "--dir") {
    settings->directory = value;
  } else if (name == "--size") {
    HEADRACE_TRY(size(&settings->bytes).set(value));
    if (settings->bytes < (1 << 20)) return {Code::kInvalid, "--size: give 1M at least"};
  } else if (name == "--processes") {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), settings->processes);
    const bool whole = error == std::errc() && end == value.data() + value.size();
    if (!whole || settings->processes < 1 || settings->processes > kMostProcesses)
      return {Code::kInvalid, "--processes: give 1 to " + std::to_string(kMostProcesses)};
  } else if (name == "--emulate") {  // done by who has started this (programs/headrace/bench.cc)
    settings->emulated = value;
  } else {
    return {Code::kInvalid, "there is no option " + name};
  }
  return {};
}

Result<Settings> parse(const std::vector<std::string>& words) {
  Settings settings;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--help" || words[i] == "-h") return Status(Code::kNotFound, kHelp);
    if (words[i] == "--json" || words[i] == "-q" || words[i] == "--quiet") {
      (words[i] == "--json" ? settings.json : settings.quiet) = true;
      continue;
    }
    const size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
    const std::string name = words[i].substr(0, equals);
    if (equals == std::string::npos && i + 1 == words.size())
      return Status(Code::kInvalid, name.starts_with("-") ? name + " needs a value" : "there is no option " + name);
    HEADRACE_TRY(apply(name, equals != std::string::npos ? words[i].substr(equals + 1) : words[++i], &settings));
  }
  return settings;
}

/// Half of what is free is left to others.
Status check_room(const Settings& settings) {
  struct statvfs info;
  if (statvfs(settings.directory.c_str(), &info) != 0)
    return {Code::kIo, "--dir: " + settings.directory + ": " + strerror(errno)};
  const uint64_t room = info.f_bavail * info.f_frsize / 2;
  if (settings.bytes <= room) return {};
  return {Code::kNoSpace, settings.directory + " has no room for " + std::to_string(settings.bytes >> 20) +
                              " MiB and as much again; --size=" + std::to_string(room >> 20) + "M would fit"};
}

int remove_one(const char* path, const struct stat*, int, struct FTW*) { return remove(path); }

std::string host() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// As a string of a profile may have it.
std::string plain(std::string text) {
  std::erase_if(text, [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; });
  return text;
}

std::string json_name(const emulation::Constant& constant) {
  const char* unit = constant.unit == emulation::Unit::kTime   ? "_ns"
                     : constant.unit == emulation::Unit::kRate ? "_bytes_per_second"
                                                               : "_bytes";
  return "\"" + std::string(constant.section) + "_" + constant.key + unit + "\": ";
}

/// The constants, null where nothing tells them, and which of them were not measured.
std::string json_constants(const emulation::Measured& measured) {
  std::string constants, others;
  const auto add = [](std::string* list, const std::string& entry) { *list += (list->empty() ? "" : ", ") + entry; };
  for (const emulation::Constant& each : emulation::kConstants) {
    if (each.unit == emulation::Unit::kQueue || each.unit == emulation::Unit::kSystem) continue;
    const emulation::Origin origin = measured.origins[emulation::index_of(each.place)];
    const bool known = origin != emulation::Origin::kUnknown;
    add(&constants, json_name(each) + (known ? std::to_string(measured.constants.*each.place) : "null"));
    if (origin == emulation::Origin::kEmulated) add(&others, json_name(each) + "\"emulated profile\"");
    if (origin == emulation::Origin::kStated) add(&others, json_name(each) + "\"stated by the file system\"");
  }
  return "\"constants\": {" + constants + "}, \"not_measured\": {" + others + "}";
}

std::string json_of(const emulation::Measured& measured, const std::string& title, const std::string& emulated) {
  std::string text = "{\"title\": ";
  base::append_json(text, title);
  text += ", \"emulated\": ";
  emulated.empty() ? void(text += "null") : base::append_json(text, emulated);
  text += ", " + json_constants(measured) + ", \"rates\": [";
  for (const emulation::Rate& each : measured.rates)
    text += std::string(&each == measured.rates.data() ? "" : ", ") + "{\"call\": \"" + each.call +
            "\", \"processes\": " + std::to_string(each.processes) + ", \"per_second\": " + std::to_string(each.rate) +
            "}";
  return text + "]}\n";
}

Status store(const std::string& text, const std::string& path) {
  FILE* file = path.empty() ? stdout : fopen(path.c_str(), "wxe");
  if (file == nullptr) return {Code::kIo, path + ": " + strerror(errno)};
  const bool written = fwrite(text.data(), 1, text.size(), file) == text.size() && fflush(file) == 0;
  const Status status =
      written ? Status() : Status(Code::kIo, (path.empty() ? "stdout" : path) + ": " + strerror(errno));
  if (!path.empty() && fclose(file) == 0 && !written) unlink(path.c_str());
  return status;
}

/// In a directory of its own, of which nothing is left.
Result<emulation::Measured> measure_below(const Settings& settings) {
  HEADRACE_TRY(check_room(settings));
  std::string directory = settings.directory + "/headrace-calibrate-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr)
    return Status(Code::kIo, "--dir: " + settings.directory + ": " + strerror(errno));
  emulation::MeasureSettings how;
  how.directory = directory;
  how.processes = settings.processes;
  how.bytes = settings.bytes;
  how.stopped = [] { return ended_by != 0; };
  if (!settings.quiet && isatty(STDERR_FILENO) != 0)
    how.progress = [](const std::string& step) { fprintf(stderr, "\r%-60.60s", step.c_str()); };
  auto measured = emulation::measure(how);
  if (how.progress) fprintf(stderr, "\r%60s\r", "");
  nftw(directory.c_str(), remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return measured;
}

Status calibrate_into(const Settings& settings) {
  HEADRACE_ASSIGN(emulation::Measured measured, measure_below(settings));
  emulation::Constants emulated;
  const bool is_emulated = emulation::read_handed_on(getenv(emulation::kConstantsVariable), &emulated);
  if (is_emulated) emulation::complete(emulated, &measured);
  const std::string below = is_emulated ? " with files as slow as --emulate " + settings.emulated : "";
  const std::string title = plain(host() + below) + ", as measured";
  const std::string source = plain("measured by headrace bench calibrate on " + host() + below) + ", by up to " +
                             std::to_string(settings.processes) + " processes";
  const char* hints = is_emulated ? getenv(emulation::kHintsVariable) : nullptr;
  const std::string text = emulation::profile_text(measured, title, source, hints != nullptr ? hints : "");
  HEADRACE_TRY(emulation::parse_profile(text, "the measured profile").status());
  if (settings.json) HEADRACE_TRY(store(json_of(measured, title, is_emulated ? settings.emulated : ""), ""));
  return settings.json && settings.output.empty() ? Status() : store(text, settings.output);
}

}  // namespace

int calibrate(const std::vector<std::string>& arguments) {
  const auto settings = parse(arguments);
  if (!settings.ok() && settings.code() == Code::kNotFound)
    return fputs(settings.message().c_str(), stdout) < 0 ? kFailed : 0;
  if (!settings.ok()) {
    say_of_calibration(settings.message() + "; `headrace bench calibrate --help` says more");
    return kUsage;
  }
  struct sigaction action{};
  action.sa_handler = note_end;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
  const Status status = calibrate_into(*settings);
  if (status.ok()) return 0;
  say_of_calibration(status.message());
  return ended_by != 0 ? 128 + ended_by : kFailed;
}

}  // namespace headrace::programs
