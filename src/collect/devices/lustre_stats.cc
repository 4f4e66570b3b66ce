#include "collect/devices/lustre_stats.h"

#include <algorithm>

#include "collect/devices/text_fields.h"

namespace headrace::collect {
namespace {

/// Those of a metadata server, an object server and a client. samedir_rename and crossdir_rename are parts of rename.
constexpr std::string_view kMetadataNames[] = {
    "open",    "close",     "create",   "mknod",    "link",       "unlink",           "symlink",   "mkdir",
    "rmdir",   "rename",    "getattr",  "setattr",  "getxattr",   "setxattr",         "listxattr", "removexattr",
    "statfs",  "sync",      "fsync",    "truncate", "punch",      "destroy",          "readdir",   "lookup",
    "migrate", "fallocate", "prealloc", "quotactl", "layout_get", "inode_permission", "flock",
};
constexpr int64_t kUsInMs = 1000;
constexpr size_t kLongestJob = 1024;

bool is_metadata(std::string_view name) {
  return std::find(std::begin(kMetadataNames), std::end(kMetadataNames), name) != std::end(kMetadataNames);
}

int64_t sum_of(int64_t a, int64_t b) { return a > INT64_MAX - b ? INT64_MAX : a + b; }

/// One statistic: how many there were, and the sum of what was measured (0: nothing was).
struct Statistic {
  std::string_view name, unit;
  int64_t samples = 0, sum = 0;
};

/// "NAME COUNT samples [UNIT] MIN MAX SUM SUMSQ", of which the last four may be missing.
bool parse_line(std::string_view line, Statistic& statistic) {
  statistic = {};
  statistic.name = next_word(line);
  if (!to_number(next_word(line), statistic.samples) || next_word(line) != "samples") return false;
  statistic.unit = next_word(line);
  if (statistic.unit.size() < 2 || statistic.unit.front() != '[' || statistic.unit.back() != ']') return false;
  statistic.unit = statistic.unit.substr(1, statistic.unit.size() - 2);
  int64_t ignored = 0;
  const std::string_view least = next_word(line);
  if (least.empty()) return true;
  return to_number(least, ignored) && to_number(next_word(line), ignored) && to_number(next_word(line), statistic.sum);
}

/// The number behind "KEY:" in "{ samples: 2, unit: bytes, min: 1, max: 9, sum: 10 }"; false: there is none.
bool find_number(std::string_view braces, std::string_view key, int64_t& value) {
  for (size_t at = 0; (at = braces.find(key, at)) != std::string_view::npos; at += key.size()) {
    const bool begins = at > 0 && (braces[at - 1] == ' ' || braces[at - 1] == '{' || braces[at - 1] == ',');
    if (!begins || at + key.size() >= braces.size() || braces[at + key.size()] != ':') continue;
    std::string_view rest = braces.substr(at + key.size() + 1);
    std::string_view word = next_word(rest);
    while (!word.empty() && (word.back() == ',' || word.back() == '}')) word.remove_suffix(1);
    return to_number(word, value);
  }
  return false;
}

/// "- job_id:   NAME": quoted where it has unusual characters.
bool job_of(std::string_view line, std::string& job) {
  constexpr std::string_view kKey = "- job_id:";
  if (!line.starts_with(kKey)) return false;
  line = line.substr(kKey.size());
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
  if (line.size() >= 2 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
  job = line.substr(0, kLongestJob);
  return true;
}

/// False: the line is not of the form.
bool add_to_job(std::string_view line, JobReading& job) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos) return false;
  std::string_view before = line.substr(0, colon);
  const std::string_view name = next_word(before), rest = line.substr(colon + 1);
  const size_t brace = rest.find('{');
  if (brace == std::string_view::npos) return name == "snapshot_time" || name == "start_time" || name == "elapsed_time";
  const std::string_view braces = rest.substr(brace);
  int64_t samples = 0, sum = 0;
  if (!find_number(braces, "samples", samples)) return false;
  const bool has_sum = find_number(braces, "sum", sum);
  if (name == "read_bytes" || name == "write_bytes") {
    const size_t first = name == "read_bytes" ? 0 : 2;
    job.counters[first] = samples;
    job.counters[first + 1] = sum;
    return has_sum;
  }
  if (is_metadata(name)) job.counters[4] = sum_of(job.counters[4], samples);
  return true;
}

}  // namespace

uint64_t parse_lustre_stats(std::string_view text, Counters& counters) {
  counters = {0, 0, 0, 0, kNotKnown, kNotKnown, kNotKnown, kNotKnown, 0};
  uint64_t garbled = 0;
  for (std::string_view line; next_line(text, line);) {
    if (line.starts_with("snapshot_time") || line.starts_with("start_time") || line.starts_with("elapsed_time"))
      continue;
    Statistic found;
    if (!parse_line(line, found)) {
      ++garbled;
    } else if (found.name == "read_bytes") {
      counters[kReads] = found.samples;
      counters[kReadBytes] = found.sum;
    } else if (found.name == "write_bytes") {
      counters[kWrites] = found.samples;
      counters[kWriteBytes] = found.sum;
    } else if (found.name == "read" && found.unit.starts_with("usec")) {
      counters[kReadMs] = found.sum / kUsInMs;
    } else if (found.name == "write" && found.unit.starts_with("usec")) {
      counters[kWriteMs] = found.sum / kUsInMs;
    } else if (is_metadata(found.name)) {
      counters[kMetadata] = sum_of(counters[kMetadata], found.samples);
    }
  }
  return garbled;
}

void parse_job_stats(std::string_view text, const std::string& device, Look& look) {
  JobReading* job = nullptr;
  std::string name;
  for (std::string_view line; next_line(text, line);) {
    if (line == "job_stats:" || line.empty()) continue;
    if (job_of(line, name)) {
      job = &look.add_job();
      job->device = device;
      job->job = name;
      job->counters = {};
    } else if (job == nullptr || !add_to_job(line, *job)) {
      ++look.garbled;
      look.whole = false;
      if (line.starts_with('-')) job = nullptr;  // of another job, or nobody's
    }
  }
}

}  // namespace headrace::collect
