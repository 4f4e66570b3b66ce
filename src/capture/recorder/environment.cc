#include "capture/recorder/environment.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/start_code.h"
#include "capture/recorder/job_variables.h"
#include "capture/recorder/on_demand.h"
#include "capture/recorder/settings.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/start_block.h"
#include "capture/recorder/target.h"
#include "capture/recorder/update.h"

namespace headrace::capture {

namespace {

constexpr char kPreload[] = "LD_PRELOAD=", kOpenMpiList[] = "OMPI_MCA_mca_base_env_list=";
constexpr size_t kPreloadLength = sizeof kPreload - 1;
char library[512];       // this library's own path, as the program's LD_PRELOAD has it
char sync_library[512];  // the one that sees waits of threads, where that is preloaded as well; "" where it is not
char preload_entry[kPreloadLength + sizeof library + sizeof sync_library];
constexpr size_t kJobEntry = kPathMax + 64;                         // bytes at most
HEADRACE_LARGE char job_text[kJobVariableCount * kJobEntry];        // one behind the other: on few pages
const char* job_entries[kJobVariableCount] = {"", "", "", "", ""};  // "" where there is none

HEADRACE_AT_START bool starts_with(const char* text, const char* prefix) {
  while (*prefix && *text == *prefix) ++text, ++prefix;
  return !*prefix;
}

/// Whether `entry` sets one of the launcher's variables.
HEADRACE_AT_START bool is_of_job(const char* entry) {
  if (!starts_with(entry, "HEADRACE_")) return false;
  for (const char* name : kJobVariables)
    if (starts_with(entry, name) && entry[strlen(name)] == '=') return true;
  return strcmp(entry, kFiller) == 0;
}

/// Whether `entry` is the list of hand_on().
HEADRACE_AT_START bool is_our_list(const char* entry) {
  return starts_with(entry, kOpenMpiList) && strstr(entry, kJobVariables[0]);
}

HEADRACE_AT_START bool is_item(const char* item, size_t length, const char* path) {
  return length != 0 && length == strlen(path) && memcmp(item, path, length) == 0;
}

/// Copies a preload list (separated by ":" or " ") without Headrace's libraries and a sanitizer's runtime that it put
/// before them, perhaps in place; returns the length.
HEADRACE_AT_START size_t without_library(const char* list, char* out, size_t capacity) {
  size_t length = 0;
  while (*list) {
    size_t item = strcspn(list, ": ");
    bool ours = is_item(list, item, library) || is_item(list, item, sync_library);
    if (is_item(list, item, library) && is_sanitizer_runtime(out, length)) length = 0;
    if (item && !ours && length + item + 2 < capacity) {
      if (length) out[length++] = ':';
      memmove(out + length, list, item);
      length += item;
    }
    list += item;
    list += strspn(list, ": ");
  }
  out[length] = 0;
  return length;
}

/// Appends `length` bytes of `text` as one word of the shell: in single quotes, each of its own written as '\''.
char* quoted(char* out, const char* text, size_t length) {
  *out++ = '\'';
  for (const char* end = text + length; text != end; ++text) {
    if (*text == '\'')
      out = stpcpy(out, "'\\''");
    else
      *out++ = *text;
  }
  *out++ = '\'';
  *out = 0;
  return out;
}
char* quoted(char* out, const char* text) { return quoted(out, text, strlen(text)); }

/// Whether an entry is the program's own; its list of libraries then loses ours.
HEADRACE_AT_START bool is_programs(char* entry) {
  if (is_of_job(entry)) return false;
  if (is_our_list(entry)) return false;
  char* list = entry + kPreloadLength;
  if (!starts_with(entry, kPreload) || !*list) return true;
  const char first = *list;
  const size_t before = strlen(list), after = without_library(list, list, before + 3);
  const bool was_set = after != 0 || list[before - 1] == ':';  // perhaps to nothing: see with_additions()
  if (was_set)
    memset(list + after, 0, before - after);
  else
    *list = first;  // as it was, for whoever asks again
  return was_set;
}

/// A static program cannot preload the library, but what it starts can: the launcher puts it first in the list.
const char* preloaded_by_launcher() {
  static char path[512];
  const char* list = environment_value("LD_PRELOAD");
  const size_t length = list ? strcspn(list, ": ") : 0;
  if (!length || length >= sizeof path) return nullptr;
  memcpy(path, list, length);
  return path;
}

/// Copies the path of a library of Headrace's other than this, if the loader has it; "" if not.
HEADRACE_AT_START void find_other(const char* file, char* path, size_t room) {
  const char* list = environment_value("LD_PRELOAD");
  const size_t name = strlen(file);
  for (path[0] = 0; list && *list; list += strspn(list, ": ")) {
    const size_t item = strcspn(list, ": ");
    if (item > name && item < room && memcmp(list + item - name, file, name) == 0 && list[item - name - 1] == '/') {
      memcpy(path, list, item);
      path[item] = 0;
    }
    list += item;
  }
}

/// The library behind this one, where files are emulated, and its variables.
char* add_emulation(char* out, const char* end) {
  char path[sizeof library];
  find_other(kEmulateLibrary, path, sizeof path);
  if (!path[0] || out + sizeof path + 1 >= end) return out;
  out = stpcpy(stpcpy(out, ":"), path);
  for (char** entry = environ; *entry; ++entry) {
    if (!starts_with(*entry, kEmulateVariables) || strchr(*entry, ';')) continue;
    if (out + strlen(*entry) + 1 < end) out = stpcpy(stpcpy(out, ";"), *entry);
  }
  return out;
}

/// The entry without the program's own libraries, with a runtime of `length` before Headrace's. Returns its end.
char* begin_list(char* entry, const char* runtime, size_t length) {
  char* out = static_cast<char*>(mempcpy(stpcpy(entry, kPreload), runtime, length));
  return stpcpy(stpcpy(out, length ? ":" : ""), preload_entry + kPreloadLength);
}

/// Whether the library is preloaded through a link in the job directory, which no other node has.
bool is_link_of_job() {
  const char* directory = job_entries[0] + strlen(kJobVariables[0]) + 1;
  return starts_with(library, directory) && library[strlen(directory)] == '/';
}

struct Handed {
  char emulation[8192];
  char list[sizeof job_text + sizeof preload_entry + sizeof kOpenMpiList + sizeof emulation + sizeof kFiller + 1];
  char* extended[kMaximumEnvironment + 2];
};

/// Open MPI 4 hands on only its own variables and those of a list, which must not be given besides its option -x.
void hand_on(const char* executable, int count, char* const* arguments) {
  static constinit OnDemand<Handed> handed;
  if (is_link_of_job()) return;
  const char* name = strrchr(executable, '/');
  if (strcmp(name ? name + 1 : executable, "orterun") != 0) return;
  for (int i = 0; i < count && arguments && arguments[i]; ++i)
    if (strcmp(arguments[i], "-x") == 0 || strcmp(arguments[i], "--x") == 0 || strstr(arguments[i], "env_list")) return;
  Handed* const on = handed.get();
  if (!on) return;
  uint32_t n = 0;
  for (char** entry = environ; *entry; ++entry) {
    if (n == kMaximumEnvironment || starts_with(*entry, kOpenMpiList)) return;
    if (strcmp(*entry, kFiller) != 0) on->extended[n++] = *entry;
  }
  add_emulation(on->emulation, on->emulation + sizeof on->emulation);
  char* out = stpcpy(stpcpy(stpcpy(on->list, kOpenMpiList), preload_entry), on->emulation);
  uint32_t added = 2;  // with the list itself, which ranks get as well
  for (const char* entry : job_entries) {
    if (strchr(entry, ';')) return;  // what parts the list
    if (!entry[0]) continue;
    out = stpcpy(stpcpy(out, ";"), entry);
    ++added;
  }
  if (added % 2) stpcpy(stpcpy(out, ";"), kFiller);
  on->extended[n] = on->list;
  environ = on->extended;
}

}  // namespace

HEADRACE_AT_START void take_environment(bool launched, bool captured, const char* executable, int argument_count,
                                        char** arguments) {
  const char* path = captured ? library_path() : nullptr;
  if (captured && is_static()) path = preloaded_by_launcher();
  if (!path || strlen(path) >= sizeof library) return;
  strcpy(library, path);
  find_other(kSyncLibrary, sync_library, sizeof sync_library);  // it sees waits of threads
  stpcpy(stpcpy(stpcpy(stpcpy(preload_entry, kPreload), library), sync_library[0] ? ":" : ""), sync_library);
  if (!launched) return;
  static_assert(kJobVariableCount == 5);
  char* text = job_text;
  for (uint32_t i = 0; i < kJobVariableCount; ++i) {
    const char* value = environment_value(kJobVariables[i]);
    if (!value || strlen(kJobVariables[i]) + strlen(value) + 2 > kJobEntry) continue;
    job_entries[i] = text;
    text = stpcpy(stpcpy(stpcpy(text, kJobVariables[i]), "="), value) + 1;
  }
  if (starts_ranks(executable))
    hand_on(executable, argument_count, arguments);
  else
    take_out(argument_count, arguments, is_programs);
}

const char* preloaded_library() { return job_entries[0][0] ? library : ""; }

char* const* with_additions(char* const* environment, const char* runtime, const char** reason) {
  static char* nothing[] = {nullptr};
  const auto refused = [&](const char* why) {
    *reason = why;
    return environment;
  };
  if (!job_entries[0][0]) return environment;  // a plain LD_PRELOAD is the user's own affair
  if (!self) return refused("no-memory");
  if (!environment) environment = nothing;
  uint32_t n = 0, of_program = 0;
  bool has_preload = false;
  const char** out = self->environment;
  for (char* const* entry = environment; *entry; ++entry) {
    if (n + 4 + kJobVariableCount > kMaximumEnvironment) return refused("too-large");
    if (strcmp(*entry, "HEADRACE=off") == 0) return environment;
    if (is_of_job(*entry)) continue;
    if (starts_with(*entry, kPreload)) {
      const char* own = *entry + kPreloadLength;
      const size_t leading = leading_runtime(own);
      char* list = self->path[0];
      if (2 * strlen(*entry) + sizeof preload_entry + kRuntimeName >= kPathMax) return refused("too-large");
      const bool alone = !leading && !*own;  // with libraries of its own before the runtime it would not run either
      char* end = alone ? begin_list(list, runtime, strlen(runtime)) : begin_list(list, own, leading);
      *end++ = ':';
      const auto length = static_cast<size_t>(end - list);
      if (without_library(own, list + length, kPathMax - length) == 0 && *own) continue;
      out[n++] = list;
      has_preload = true;
      ++of_program;
      continue;
    }
    of_program += !is_our_list(*entry);
    out[n++] = *entry;
  }
  if (!has_preload) {
    begin_list(self->path[0], runtime, strlen(runtime));
    out[n++] = self->path[0];
  }
  for (const char* entry : job_entries)
    if (entry[0]) out[n++] = entry;
  if ((n - of_program) % 2) out[n++] = kFiller;
  out[n] = nullptr;
  return const_cast<char* const*>(out);
}

char* const* without_additions(char* const* environment) {
  if (!preload_entry[0] || !self || !environment) return environment;
  uint32_t n = 0;
  const char** out = self->environment;
  for (char* const* entry = environment; *entry; ++entry) {
    if (n + 2 > kMaximumEnvironment) return environment;
    if (is_of_job(*entry)) continue;
    if (starts_with(*entry, kPreload)) {
      const char* own = *entry + kPreloadLength;
      memcpy(self->path[0], kPreload, kPreloadLength);
      if (without_library(own, self->path[0] + kPreloadLength, kPathMax - kPreloadLength) == 0 && *own) continue;
      out[n++] = self->path[0];
      continue;
    }
    out[n++] = *entry;
  }
  out[n] = nullptr;
  return const_cast<char* const*>(out);
}

CapturedCommand::CapturedCommand(const char* command) : text_(command) {
  constexpr size_t kLongestArgument = 128 << 10;  // of an exec on Linux
  constexpr char kShell[] = "/bin/sh";
  const char* off = environment_value("HEADRACE");
  if (!command || !job_entries[0][0] || (off && strcmp(off, "off") == 0)) return;
  const char* own = environment_value("LD_PRELOAD");
  size_t quotes = 0;
  for (const char* c = command; *c; ++c) quotes += *c == '\'';
  size_t needed = strlen(command) + 3 * quotes + (own ? 8 * strlen(own) : 0) + 4 * sizeof preload_entry + 256;
  for (const char* entry : job_entries) needed += 4 * strlen(entry) + 64;
  const bool possible = needed < kLongestArgument && !target_at(AT_FDCWD, kShell).unfit;
  auto* text = possible ? static_cast<char*>(base::map_anonymous(needed)) : nullptr;
  if (!text) {
    count_unnoted(1);
    return;
  }
  bytes_ = needed;
  char* out = stpcpy(text, "export LD_PRELOAD=");
  if (const size_t leading = own ? leading_runtime(own) : 0) out = stpcpy(quoted(out, own, leading), ":");
  out = quoted(out, preload_entry + kPreloadLength);
  if (own) out = quoted(stpcpy(out, ":"), own);
  uint32_t added = own ? 0 : 1;
  for (uint32_t i = 0; i < kJobVariableCount; ++i) {
    if (!job_entries[i][0]) continue;
    out = stpcpy(stpcpy(stpcpy(out, " "), kJobVariables[i]), "=");
    out = quoted(out, job_entries[i] + strlen(kJobVariables[i]) + 1);
    ++added;
  }
  if (added % 2) out = stpcpy(stpcpy(out, " "), kFiller);
  quoted(stpcpy(out, "; exec /bin/sh -c "), command);
  text_ = text;
}

CapturedCommand::~CapturedCommand() {
  if (bytes_) base::unmap(const_cast<char*>(text_), bytes_);
}

}  // namespace headrace::capture
