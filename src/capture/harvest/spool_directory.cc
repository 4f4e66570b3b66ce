#include "capture/harvest/spool_directory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "capture/harvest/small_file.h"
#include "capture/spool_layout.h"

namespace headrace::capture {
namespace {

template <typename T>
bool take_number(std::string_view& text, int base, T* out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out, base);
  if (error != std::errc() || end == text.data() + text.size() || *end != '.') return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()) + 1);
  return true;
}

struct ProcessStat {
  char state = 0;  // 0: no such process
  uint32_t parent = 0;
  uint64_t start_ns = 0;  // boot clock, rounded down to a tick of 10 ms
};

ProcessStat stat_of(uint32_t process_id) {
  char path[40];
  snprintf(path, sizeof path, "/proc/%u/stat", process_id);
  const std::string text = read_small_file(path, 4096);
  const size_t name_end = text.rfind(')');  // names may hold anything, parentheses too
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return {};
  ProcessStat stat;
  stat.state = text[name_end + 2];
  const char* field = text.c_str() + name_end + 2;
  if (text.size() > name_end + 4) stat.parent = static_cast<uint32_t>(strtoul(field + 2, nullptr, 10));
  for (int number = 3; number < 22 && field != nullptr; ++number) {
    field = strchr(field, ' ');
    if (field != nullptr) ++field;
  }
  static const uint64_t kTicks = static_cast<uint64_t>(sysconf(_SC_CLK_TCK));
  if (field != nullptr) stat.start_ns = strtoull(field, nullptr, 10) * (1'000'000'000 / kTicks);
  return stat;
}

constexpr uint64_t kFirstRead = 16 << 10;
constexpr uint64_t kTickNs = 10'000'000;  // start times are rounded
constexpr size_t kMostMaps = 16 << 20;    // some 150,000 mappings

bool read_up_to(int descriptor, uint64_t size, std::vector<std::byte>* out) {
  uint64_t done = out->size();
  out->resize(size);
  while (done < size) {
    const ssize_t got = pread(descriptor, out->data() + done, size - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<uint64_t>(got);
  }
  out->resize(done);
  return done == size;
}

/// Whether all names in an open directory were read.
template <typename F>
bool each_name(int directory, F function) {
  const int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = copy < 0 ? nullptr : fdopendir(copy);
  if (stream == nullptr) {
    if (copy >= 0) close(copy);
    return false;
  }
  errno = 0;
  while (const dirent* entry = readdir(stream)) {
    function(entry->d_name);
    errno = 0;
  }
  const bool all = errno == 0;
  closedir(stream);
  return all;
}

}  // namespace

bool parse_spool_name(std::string_view file, SpoolName* out) {
  std::string_view rest = file;
  if (!take_number(rest, 10, &out->image.process_id) || !take_number(rest, 16, &out->image.created_ns)) return false;
  out->file = file;
  out->reason.clear();
  if (rest == "spool") return true;
  if (rest.size() <= 5 || !rest.ends_with(".note")) return false;
  out->reason = rest.substr(0, rest.size() - 5);
  return true;
}

std::string copy_name(const std::string& spool, const char* ending) {
  return spool.substr(0, spool.rfind('.') == std::string::npos ? spool.size() : spool.rfind('.')) + ending;
}

std::vector<SpoolName> list_spools(int directory) {
  std::vector<SpoolName> names;
  SpoolName name;
  each_name(directory, [&](const char* file) {
    if (parse_spool_name(file, &name)) names.push_back(name);
  });
  std::sort(names.begin(), names.end(), [](const SpoolName& a, const SpoolName& b) {
    return a.image.created_ns != b.image.created_ns ? a.image.created_ns < b.image.created_ns : a.file < b.file;
  });
  return names;
}

bool list_others(int directory, std::unordered_set<std::string>* names) {
  SpoolName name;
  return each_name(directory, [&](const char* file) {
    if (!parse_spool_name(file, &name)) names->emplace(file);
  });
}

Use spool_use(int descriptor) {
  if (fcntl(descriptor, F_SETLEASE, F_RDLCK) == 0) {
    fcntl(descriptor, F_SETLEASE, F_UNLCK);
    return Use::kFree;
  }
  return errno == EAGAIN ? Use::kInUse : Use::kUnknown;
}

bool process_gone(const Image& image) {
  if (kill(static_cast<pid_t>(image.process_id), 0) != 0 && errno == ESRCH) return true;
  const ProcessStat stat = stat_of(image.process_id);
  return stat.state == 0 || stat.state == 'Z' || stat.state == 'X' || stat.start_ns > image.created_ns;
}

bool process_ended(const Image& image) {
  if (!process_gone(image)) return false;
  char path[40];
  snprintf(path, sizeof path, "/proc/%u/task", image.process_id);
  DIR* threads = opendir(path);
  int entries = 0;
  while (threads != nullptr && readdir(threads) != nullptr) ++entries;
  if (threads != nullptr) closedir(threads);
  return entries <= 3;  // ".", ".." and a zombie
}

bool is_in_other_namespace(const SpoolName& name, uint64_t job_boottime_ns) {
  char path[40];
  snprintf(path, sizeof path, "/proc/%u/maps", name.image.process_id);
  const std::string maps = read_small_file(path, kMostMaps);
  if (!maps.empty()) return maps.size() < kMostMaps && maps.find(name.file) == std::string::npos;
  const ProcessStat other = stat_of(name.image.process_id);
  if (other.state == 0) return true;     // no such process here
  if (other.state == 'Z') return false;  // it may have threads that live
  // Its files may be root's though it is one of ours: a process that must not be dumped.
  const bool others = kill(static_cast<pid_t>(name.image.process_id), 0) != 0 && errno == EPERM;
  return others || other.start_ns + kTickNs < job_boottime_ns;
}

bool same_process_alive(const Image& image) {
  const ProcessStat stat = stat_of(image.process_id);
  return stat.state != 0 && stat.start_ns <= image.created_ns;
}

uint32_t parent_if_alive(const Image& image) {
  const ProcessStat stat = stat_of(image.process_id);
  return stat.state != 0 && stat.start_ns <= image.created_ns ? stat.parent : 0;
}

std::string note_sentence(std::string_view reason) {
  static constexpr struct {
    std::string_view reason, sentence;
  } kSentences[] = {
      {"static", "statically linked: no library can be loaded into it, and what it starts is not captured"},
      {"loader", "started through the loader by its name, which hides what the program needs"},
      {"listed", "named by never_capture of the configuration"},
      {"musl",
       "built for musl: a library built for glibc cannot be loaded into it, and what it starts is not captured"},
      {"other-class", "built for another kind of machine than the capture library, and what it starts is not captured"},
      {"setuid", "set-user-id, set-group-id or with file capabilities: the system loads no library into it"},
      {"too-large", "its arguments and environment left no room for what starts capture"},
      {"other-root", "started below another root directory, or as a user who may not read the capture library"},
      {"other-user", "run as a user who may not write where its records are kept"},
      {"no-records", "started where a mount hides the directory of the job's records, or after that was removed"},
      {"library-removed",
       "the capture library was removed while the job ran, as an uninstallation does: install Headrace again"},
      {"limits", "its limits on data or addresses (ulimit -d, ulimit -v) are too small for the capture library"},
      {"no-memory", "no memory or address space for capture"},
      {"no-space", "the file system of the spool directory was full, or the limit on file sizes too small"},
      {"no-spool", "no spool could be made in the spool directory"},
      {"no-directory", "no directory for spools could be used"},
  };
  for (const auto& each : kSentences) {
    if (each.reason == reason) return std::string(reason) + ": " + std::string(each.sentence);
  }
  return std::string(reason);
}

void read_spool_file(int descriptor, uint64_t size, std::vector<std::byte>* out) {
  out->clear();
  Header header;
  if (!read_up_to(descriptor, std::min<uint64_t>(size, kFirstRead), out) || out->size() < sizeof header) return;
  std::memcpy(static_cast<void*>(&header), out->data(), sizeof header);
  const uint64_t wanted = std::min(header.magic == kSpoolMagic ? header.used : size, size);
  if (wanted > out->size()) read_up_to(descriptor, wanted, out);
}

}  // namespace headrace::capture
