#include "capture/recorder/settings.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/clock_source.h"
#include "base/kernel.h"
#include "base/pattern.h"
#include "base/program_path.h"
#include "base/schedulers.h"
#include "base/start_code.h"
#include "capture/recorder/events.h"
#include "capture/recorder/exclusion.h"
#include "capture/recorder/job_variables.h"
#include "capture/recorder/launch.h"
#include "capture/recorder/spool.h"

// Defined where the recorder is linked into static programs (programs/preload/static_real.cc).
extern "C" __attribute__((weak, visibility("hidden"))) const char headrace_is_static;

namespace headrace::capture {
namespace {

const char* known_library;

/// What only configuration files can say.
struct FromFiles {
  bool capture = true, user_configuration = true, listed = false;
  char spool[160] = "";
};

// 256 ranks on two processors took 50 s to meet: who waits shorter would too often leave, who waits longer would keep a
// job from its end when a rank does not come.
constexpr uint64_t kPatienceNs = 60'000'000'000;

/// Reads a small file whole; returns its length, 0 when it cannot be read.
HEADRACE_AT_START size_t read_file(const char* path, char* buffer, size_t capacity) {
  long fd = base::kernel_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  long length = base::kernel_call(SYS_read, fd, buffer, capacity - 1);
  base::kernel_call(SYS_close, fd);
  buffer[length > 0 ? length : 0] = 0;
  return length > 0 ? static_cast<size_t>(length) : 0;
}

/// Bytes of "4M", "65536", "1G"; 0 when it is no size.
HEADRACE_AT_START uint64_t size_of(const char* text) {
  char* end = nullptr;
  uint64_t value = strtoull(text, &end, 10);
  switch (*end) {
    case 'G':
    case 'g':
      value <<= 10;
      [[fallthrough]];
    case 'M':
    case 'm':
      value <<= 10;
      [[fallthrough]];
    case 'K':
    case 'k':
      value <<= 10;
      ++end;
  }
  return end != text && (*end == 0 || *end == '\n' || *end == 'i' || *end == 'B') ? value : 0;
}

HEADRACE_AT_START void set_memory(Settings& settings, const char* text) {
  uint64_t bytes = size_of(text);
  if (bytes < kSmallestLimit) bytes = bytes ? kSmallestLimit : kDefaultLimit;
  settings.memory = (bytes < kLargestLimit ? bytes : kLargestLimit) / kSlab * kSlab;
}

void set_trace_memory(Settings& settings, const char* text) {
  const uint64_t wanted = size_of(text), bytes = wanted < kSmallestTraceLimit ? kSmallestTraceLimit : wanted;
  settings.trace_memory = (bytes < kLargestLimit ? bytes : kLargestLimit) / kSlab * kSlab;
}

void set_trace_flush(Settings& settings, const char* text) {
  const bool together = read_flush_together(text, &settings.trace_together);
  if (together || strcmp(text, "full") == 0) settings.trace_flush = TraceFlush::kFull;
  if (strcmp(text, "end") == 0) settings.trace_flush = TraceFlush::kEnd;
  if (!together) settings.trace_together = {};
}

void set_trace_clocks(Settings& settings, const char* text) {
  if (strcmp(text, "auto") == 0) settings.trace_clocks = TraceClocks::kAuto;
  if (strcmp(text, "end") == 0) settings.trace_clocks = TraceClocks::kEnd;
  if (strcmp(text, "never") == 0) settings.trace_clocks = TraceClocks::kNever;
  if (strcmp(text, "always") == 0) settings.trace_clocks = TraceClocks::kAlways;
}

HEADRACE_AT_START void set_reduce(Settings& settings, const char* text) {
  if (strcmp(text, "always") == 0) settings.reduce = Reduce::kAlways;
  if (strcmp(text, "never") == 0) settings.reduce = Reduce::kNever;
  if (strcmp(text, "clusters") == 0) settings.reduce = Reduce::kClusters;
}

void set_patience(Settings& settings, const char* text) {
  const long seconds = atol(text);
  if (seconds > 0 && seconds <= 3600) settings.patience_ns = static_cast<uint64_t>(seconds) * 1'000'000'000;
}

bool is_on(const char* value) {
  return strcmp(value, "1") == 0 || strcmp(value, "yes") == 0 || strcmp(value, "on") == 0 || strcmp(value, "true") == 0;
}

/// Whether, or which modules.
void set_trace(Settings& settings, const char* value) {
  const uint32_t modules = trace_modules_of(value);
  settings.trace = modules != 0 || is_on(value);
  settings.trace_filter.modules = modules != 0 ? modules : kDefaultTraceModules;
  settings.trace_filter.but = modules != 0 && are_all_modules_but(value);
}

/// Patterns with a slash are of whole paths.
bool names_this_program(const char* pattern) {
  const char* path = executable_path();
  const char* name = strrchr(path, '/');
  return base::matches_pattern(pattern, strchr(pattern, '/') || !name ? path : name + 1);
}

void set_capture(Settings& settings, FromFiles& more, const char* value) {
  settings.phases_only = strcmp(value, "phases") == 0;
  more.capture = settings.phases_only || is_on(value);
}

HEADRACE_AT_START void apply(Settings& settings, FromFiles& more, const char* key, const char* value) {
  if (strcmp(key, "memory") == 0)
    set_memory(settings, value);
  else if (strcmp(key, "include") == 0)
    add_rule(value, false);
  else if (strcmp(key, "exclude") == 0)
    add_rule(value, true);
  else if (strcmp(key, "file_sizes") == 0)
    settings.file_sizes = is_on(value);
  else if (strcmp(key, "cluster") == 0)
    settings.cluster = is_on(value);
  else if (strcmp(key, "trace") == 0)
    set_trace(settings, value);
  else if (strcmp(key, "trace_memory") == 0)
    set_trace_memory(settings, value);
  else if (strcmp(key, "trace_flush") == 0)
    set_trace_flush(settings, value);
  else if (strcmp(key, "trace_clocks") == 0)
    set_trace_clocks(settings, value);
  else if (strcmp(key, "trace_flushes") == 0)
    settings.trace_flushes = strtoull(value, nullptr, 10);
  else if (strcmp(key, "trace_size") == 0)
    settings.trace_size = size_of(value);
  else if (strcmp(key, "flusher") == 0 && *value == '/' && strlen(value) < sizeof settings.flusher)
    strcpy(settings.flusher, value);
  else if (strncmp(key, "trace_", 6) == 0)
    set_trace_filter(settings.trace_filter, key, value);
  else if (strcmp(key, "reduce") == 0)
    set_reduce(settings, value);
  else if (strcmp(key, "reduce_patience") == 0)
    set_patience(settings, value);
  else if (strcmp(key, "registry") == 0 && strlen(value) < sizeof settings.registry)
    strcpy(settings.registry, value);
  else if (strcmp(key, "clock") == 0)
    base::counter_clock = strncmp(value, "tsc", 3) == 0;
  else if (strcmp(key, "never_capture") == 0)
    more.listed |= names_this_program(value);
  else if (strcmp(key, "capture") == 0)
    set_capture(settings, more, value);
  else if (strcmp(key, "user_configuration") == 0)
    more.user_configuration = is_on(value);
  else if (strcmp(key, "spool") == 0 && *value == '/' && strlen(value) < sizeof more.spool)
    strcpy(more.spool, value);
}

/// Without blanks around it, in place.
char* trimmed(char* text) {
  text += strspn(text, " \t\r");
  for (size_t length = strlen(text); length > 0 && strchr(" \t\r", text[length - 1]); --length) text[length - 1] = 0;
  return text;
}

/// Applies the "key=value" lines of a file. `exact`: the launcher wrote it, and a prefix may begin or end with a blank.
HEADRACE_AT_START void read_config(const char* path, bool exact, Settings& settings, FromFiles& more) {
  static HEADRACE_LARGE char text[16384];
  size_t length = read_file(path, text, sizeof text);
  for (char* line = text; line < text + length;) {
    char* end = static_cast<char*>(memchr(line, '\n', static_cast<size_t>(text + length - line)));
    if (!end) end = text + length;
    *end = 0;
    char* key = exact ? line : trimmed(line);
    char* equals = *key == '#' ? nullptr : strchr(key, '=');
    if (equals) {
      *equals = 0;
      apply(settings, more, exact ? key : trimmed(key), exact ? equals + 1 : trimmed(equals + 1));
    }
    line = end + 1;
  }
}

/// The length of PREFIX in PREFIX/lib/headrace/libheadrace.so; 0: it is somewhere else.
int prefix_of(const char* library) {
  int prefix = library ? static_cast<int>(strlen(library)) : 0;
  for (int up = 0; up < 3 && prefix > 0; ++up) do
      --prefix;
    while (prefix > 0 && library[prefix] != '/');
  return prefix;
}

/// Where no launcher tells: the command that lies beside this library.
void find_flusher(Settings& settings) {
  const char* library = library_path();
  const int prefix = prefix_of(library);
  if (library && *library == '/')
    snprintf(settings.flusher, sizeof settings.flusher, "%.*s/bin/headrace", prefix, library);
}

/// The files that the launcher would read (programs/headrace/settings.h).
void read_files(Settings& settings, FromFiles& more) {
  constexpr char kSystem[] = "/etc/headrace.conf";
  char path[512];
  const char* named = environment_value("HEADRACE_CONFIG");
  const char* library = library_path();
  const int prefix = prefix_of(library);
  if (named && *named)
    read_config(named, false, settings, more);
  else if (prefix > 0 && snprintf(path, sizeof path, "%.*s%s", prefix, library, kSystem) < 512 &&
           base::kernel_call(SYS_faccessat, AT_FDCWD, path, F_OK) == 0)
    read_config(path, false, settings, more);
  else
    read_config(kSystem, false, settings, more);
  const char* directory = environment_value("XDG_CONFIG_HOME");
  const char* home = environment_value("HOME");
  if (!more.user_configuration) return;
  if (directory && *directory == '/')
    snprintf(path, sizeof path, "%s/headrace.conf", directory);
  else if (home && *home == '/')
    snprintf(path, sizeof path, "%s/.config/headrace.conf", home);
  else
    return;
  read_config(path, false, settings, more);
}

/// Each prefix of a colon-separated list.
void add_rules(const char* list, bool exclude) {
  char prefix[512];
  while (list && *list) {
    const char* end = strchrnul(list, ':');
    auto length = static_cast<size_t>(end - list);
    if (length > 0 && length < sizeof prefix) {
      memcpy(prefix, list, length);
      prefix[length] = 0;
      add_rule(prefix, exclude);
    }
    list = *end ? end + 1 : end;
  }
}

/// Memory mapped from these may raise SIGBUS or stall when a server is gone.
bool is_local(const char* path) {
  struct statfs system;
  if (base::kernel_call(SYS_statfs, path, &system) != 0) return false;
  switch (static_cast<uint32_t>(system.f_type)) {
    case 0x6969:
    case 0x0bd00bd0:
    case 0x47504653:
    case 0x65735546:
    case 0x01021997:
    case 0xff534d42:
    case 0xfe534d42:
    case 0x00c36400:
    case 0x19830326:
      return false;  // NFS Lustre GPFS FUSE 9p CIFS SMB2 Ceph FhGFS
    default:
      return true;
  }
}

/// A directory of this user's: made if needed, refused if it is anybody else's.
bool use_directory(const char* path) {
  base::kernel_call(SYS_mkdirat, AT_FDCWD, path, 0700);
  struct stat found;
  return base::kernel_call(SYS_newfstatat, AT_FDCWD, path, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISDIR(found.st_mode) && found.st_uid == static_cast<unsigned>(base::kernel_call(SYS_geteuid)) &&
         (found.st_mode & 077) == 0;
}

/// The job that this process belongs to without a launcher on this node; identity "" = none.
struct Job {
  char identity[17];
  const char *log, *start;
};

/// Leaves word in the directory what `collect` is to know; all processes of the job leave the same.
void describe_job(const char* directory, const Job& job) {
  static HEADRACE_LARGE char text[4500];  // once, and too much for a stack that is not ours
  char path[300], final_path[256];
  struct stat found;
  snprintf(final_path, sizeof final_path, "%s/job", directory);
  if (base::kernel_call(SYS_newfstatat, AT_FDCWD, final_path, &found, AT_SYMLINK_NOFOLLOW) == 0) return;
  snprintf(path, sizeof path, "%s.%ld", final_path, base::kernel_call(SYS_gettid));
  int length = snprintf(text, sizeof text, "job_identity=%s\nnode=1\n", job.identity);
  if (job.log && job.start && !strchr(job.log, '\n') && strlen(job.log) < 4096)
    length += snprintf(text + length, sizeof text - static_cast<size_t>(length), "log=%s\nstart_utc_ns=%llu\n", job.log,
                       strtoull(job.start, nullptr, 10));
  const long fd = base::kernel_call(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return;
  const bool written = base::kernel_call(SYS_write, fd, text, length) == length;
  base::kernel_call(SYS_close, fd);
  if (!written || base::kernel_call(SYS_renameat, AT_FDCWD, path, AT_FDCWD, final_path) != 0)
    base::kernel_call(SYS_unlinkat, AT_FDCWD, path, 0);
}

/// Below `base` a directory for this user's spools, or for those of a job, which then makes a log of its own.
bool use_directory_below(Settings& settings, const char* base, const Job& job) {
  if (!is_local(base)) return false;
  const auto user = static_cast<unsigned>(base::kernel_call(SYS_geteuid));
  const int length = snprintf(settings.directory, sizeof settings.directory, "%s/headrace-%u%s%s", base, user,
                              job.identity[0] ? "-" : "", job.identity);
  if (length < 0 || length >= static_cast<int>(sizeof settings.directory) - 64) return false;
  if (!use_directory(settings.directory)) return false;
  if (job.identity[0]) describe_job(settings.directory, job);
  return true;
}

/// Of a job whose launcher is on another node its variables tell, else whatever started the ranks.
Job job_of_environment(bool launched) {
  Job job{};
  const char* identity = environment_value(kIdentityVariable);
  if (launched && identity) {
    job.log = environment_value(kLogVariable);
    job.start = environment_value(kStartVariable);
    snprintf(job.identity, sizeof job.identity, "%.*s", static_cast<int>(strcspn(identity, "@/\n")), identity);
  } else if (const Launch launch = launch_of_environment(); launch.is_parallel()) {
    snprintf(job.identity, sizeof job.identity, "%016llx", static_cast<unsigned long long>(launch.id));
  }
  return job;
}

void choose_clock() {
  char source[32] = "";
  read_file(base::kClockSourceFile, source, sizeof source);
  const char* wanted = environment_value("HEADRACE_CLOCK");
  base::counter_clock = base::is_counter(source) && !(wanted && strcmp(wanted, "monotonic") == 0);
}

void read_environment(Settings& settings, const char* configured_spool) {
  if (const char* memory = environment_value("HEADRACE_MEMORY")) set_memory(settings, memory);
  add_rules(environment_value("HEADRACE_INCLUDE"), false);
  add_rules(environment_value("HEADRACE_EXCLUDE"), true);
  const char* sizes = environment_value("HEADRACE_FILE_SIZES");
  if (sizes && *sizes) settings.file_sizes = is_on(sizes);
  const char* trace = environment_value("HEADRACE_TRACE");
  if (trace && *trace) set_trace(settings, trace);
  static constexpr const char* kFilters[][2] = {
      {"HEADRACE_TRACE_ONLY", "trace_only"},     {"HEADRACE_TRACE_SKIP", "trace_skip"},
      {"HEADRACE_TRACE_PHASE", "trace_phase"},   {"HEADRACE_TRACE_RANKS", "trace_ranks"},
      {"HEADRACE_TRACE_LONGER", "trace_longer"}, {"HEADRACE_TRACE_TICK", "trace_tick"}};
  for (const auto& [variable, key] : kFilters)
    if (const char* value = environment_value(variable)) set_trace_filter(settings.trace_filter, key, value);
  if (const char* memory = environment_value("HEADRACE_TRACE_MEMORY")) set_trace_memory(settings, memory);
  if (const char* flush = environment_value("HEADRACE_TRACE_FLUSH")) set_trace_flush(settings, flush);
  if (const char* clocks = environment_value("HEADRACE_TRACE_CLOCKS")) set_trace_clocks(settings, clocks);
  if (const char* flushes = environment_value("HEADRACE_TRACE_FLUSHES"))
    settings.trace_flushes = strtoull(flushes, nullptr, 10);
  if (const char* size = environment_value("HEADRACE_TRACE_SIZE")) settings.trace_size = size_of(size);
  const char* capture = environment_value("HEADRACE_CAPTURE");
  if (capture && *capture) settings.phases_only = strcmp(capture, "phases") == 0;
  const char* cluster = environment_value("HEADRACE_CLUSTER");
  if (cluster && *cluster) settings.cluster = is_on(cluster);
  const char* reduce = environment_value("HEADRACE_REDUCE");
  if (reduce) set_reduce(settings, reduce);
  if (const char* patience = environment_value("HEADRACE_REDUCE_PATIENCE")) set_patience(settings, patience);
  const Job job = job_of_environment(settings.launched);
  const char* base = environment_value("HEADRACE_SPOOL");
  if (base && use_directory_below(settings, base, job)) return;
  if (!base && *configured_spool && use_directory_below(settings, configured_spool, job)) return;
  if (!base && (use_directory_below(settings, "/dev/shm", job) || use_directory_below(settings, "/tmp", job))) return;
  settings.directory[0] = 0;
}

}  // namespace

HEADRACE_AT_START bool is_elsewhere(const char* directory) {
  static char launcher[sizeof utsname::nodename];  // kept: programs that are started later do not find the variable
  const char* identity = environment_value(kIdentityVariable);
  const char* host = identity ? strchr(identity, '@') : nullptr;
  if (host && !launcher[0]) strncpy(launcher, host + 1, sizeof launcher - 1);
  struct stat found;
  if (base::kernel_call(SYS_newfstatat, AT_FDCWD, directory, &found, AT_SYMLINK_NOFOLLOW) == 0) return false;
  utsname system;
  return launcher[0] && base::kernel_call(SYS_uname, &system) == 0 && strcmp(system.nodename, launcher) != 0;
}

HEADRACE_AT_START const char* environment_value(const char* name) {
  for (char** entry = environ; entry && *entry; ++entry) {
    size_t same = 0;  // most entries differ in their first bytes: a call for each would take longer
    while (name[same] && (*entry)[same] == name[same]) ++same;
    if (!name[same] && (*entry)[same] == '=') return *entry + same + 1;
  }
  return nullptr;
}

const char* executable_path() {
  static HEADRACE_LARGE char path[4096];
  if (!path[0]) path[base::program_path(path, sizeof path - 1)] = 0;
  return path;
}

uint32_t scheduler_job(char* text, uint32_t capacity) {
  for (const base::SchedulerVariable& each : base::kSchedulers) {
    const char* value = environment_value(each.variable);
    if (!value || !*value) continue;
    int length = snprintf(text, capacity, "%s %s", each.scheduler, value);
    return length > 0 && static_cast<uint32_t>(length) < capacity ? static_cast<uint32_t>(length) : 0;
  }
  return 0;
}

bool is_static() { return &headrace_is_static != nullptr; }

HEADRACE_AT_START void know_library(const char* path) { known_library = path; }

HEADRACE_AT_START const char* library_path() {
  Dl_info info;
  if (known_library) return known_library;
  if (is_static() || !dladdr(reinterpret_cast<void*>(&read_settings), &info)) return nullptr;
  return info.dli_fname;
}

HEADRACE_AT_START Settings read_settings() {
  int saved = errno;
  Settings settings{};
  FromFiles more;
  settings.memory = kDefaultLimit;
  settings.trace_memory = kDefaultTraceLimit;
  settings.patience_ns = kPatienceNs;
  const char* asked = environment_value("HEADRACE");
  // A program that gains privileges must not follow the environment of who started it. A preloaded library never gets
  // there; one that the program was linked with does.
  settings.off = (asked && strcmp(asked, "off") == 0) || getauxval(AT_SECURE);
  if (!settings.off) {
    const char* job = environment_value(kJobVariable);
    settings.launched = job && *job == '/' && strlen(job) < sizeof settings.directory - 64;
    settings.harvested = settings.launched && !is_elsewhere(job);
    if (settings.harvested) {
      char path[256];
      strcpy(settings.directory, job);
      stpcpy(stpcpy(path, settings.directory), "/config");
      read_config(path, true, settings, more);
    } else {
      read_files(settings, more);
      more.capture |= settings.launched || (asked && strcmp(asked, "on") == 0);
      if (more.capture && !more.listed) {
        choose_clock();
        read_environment(settings, more.spool);
      }
    }
    if (settings.trace && !settings.flusher[0]) find_flusher(settings);
    settings.listed = more.listed;
    settings.off = more.listed || (!settings.harvested && !more.capture);
  }
  errno = saved;
  return settings;
}

}  // namespace headrace::capture
