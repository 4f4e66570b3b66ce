#include "capture/recorder/environment.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/kernel.h"
#include "capture/recorder/signals_blocked.h"
#include "capture/recorder/update.h"

namespace headrace::capture {

namespace {

constexpr char kPreload[] = "LD_PRELOAD=", kJob[] = "HEADRACE_JOB=";
constexpr size_t kPreloadLength = sizeof kPreload - 1;
char library[512];             // this library's own path, as the program's LD_PRELOAD has it
char preload_entry[600], job_entry[256];
char left_preload[4096];       // the program's own LD_PRELOAD, without this library

/// What `environ` is while some thread is inside system(), popen() or wordexp(). Never freed: readers may still walk it.
struct EnvironmentCopy {
  char* entries[kMaximumEnvironment];
  char* before[kMaximumEnvironment];
  char* own_preload;                   // the program's own LD_PRELOAD entry, if it has one
  char preload[kPathMax];
};
struct {
  std::atomic<uint32_t> lock;
  uint32_t users;
  char** original;                     // null: `environ` was left as it was
  EnvironmentCopy* copy;
} shared;

class EnvironLock {
 public:
  EnvironLock() {
    while (shared.lock.exchange(1, std::memory_order_acquire) != 0) sched_yield();
  }
  ~EnvironLock() { shared.lock.store(0, std::memory_order_release); }
  EnvironLock(const EnvironLock&) = delete;
  EnvironLock& operator=(const EnvironLock&) = delete;

 private:
  SignalsBlocked quiet_;
};

bool starts_with(const char* text, const char* prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

/// Copies a preload list (separated by ":" or " ") without this library; returns the length.
size_t without_library(const char* list, char* out, size_t capacity) {
  size_t length = 0;
  while (*list) {
    size_t item = strcspn(list, ": ");
    bool ours = item == strlen(library) && memcmp(list, library, item) == 0;
    if (item && !ours && length + item + 2 < capacity) {
      if (length) out[length++] = ':';
      memcpy(out + length, list, item);
      length += item;
    }
    list += item;
    list += strspn(list, ": ");
  }
  out[length] = 0;
  return length;
}

/// LD_PRELOAD with this library in front of the program's own list. False: it does not fit.
bool fill_preload(EnvironmentCopy& copy) {
  int length = snprintf(copy.preload, kPathMax, copy.own_preload ? "%s:" : "%s", preload_entry);
  if (!copy.own_preload) return true;
  if (static_cast<size_t>(length) + strlen(copy.own_preload) >= kPathMax) return false;
  without_library(copy.own_preload + kPreloadLength, copy.preload + length, kPathMax - static_cast<size_t>(length));
  return true;
}

/// Copies a list that was made from `shared.copy` without what was added there; `out` may be `list` itself.
void without_additions_in(char** list, char** out) {
  for (; *list; ++list) {
    if (*list == job_entry) continue;
    if (*list != shared.copy->preload) *out++ = *list;
    else if (shared.copy->own_preload) *out++ = shared.copy->own_preload;
  }
  *out = nullptr;
}

void hide() {
  char** out = environ;
  for (char** entry = environ; *entry; ++entry) {
    if (starts_with(*entry, kJob)) continue;
    if (starts_with(*entry, kPreload) && (*entry)[kPreloadLength]) {
      memcpy(left_preload, kPreload, kPreloadLength);
      if (without_library(*entry + kPreloadLength, left_preload + kPreloadLength, sizeof left_preload - kPreloadLength) == 0) continue;
      *entry = left_preload;
    }
    *out++ = *entry;
  }
  *out = nullptr;
}

}  // namespace

void take_environment(const char* job, bool captured) {
  Dl_info info;
  if (!captured || !dladdr(reinterpret_cast<void*>(&take_environment), &info) || !info.dli_fname) return;
  if (snprintf(library, sizeof library, "%s", info.dli_fname) >= static_cast<int>(sizeof library)) return;
  snprintf(preload_entry, sizeof preload_entry, "%s%s", kPreload, library);
  if (!job) return;
  snprintf(job_entry, sizeof job_entry, "%s%s", kJob, job);
  if (environ) hide();
}

char* const* with_additions(char* const* environment) {
  static char* nothing[] = {nullptr};
  if (!job_entry[0] || !self) return environment;  // a plain LD_PRELOAD is the user's own affair
  if (!environment) environment = nothing;
  uint32_t n = 0;
  const char** out = self->environment;
  for (char* const* entry = environment; *entry; ++entry) {
    if (n + 3 > kMaximumEnvironment) return environment;
    if (strcmp(*entry, "HEADRACE=off") == 0) return environment;
    if (starts_with(*entry, kJob)) continue;
    if (starts_with(*entry, kPreload) && (*entry)[kPreloadLength]) {
      char* list = self->path[0];
      int length = snprintf(list, kPathMax, "%s:", preload_entry);
      if (length + strlen(*entry) >= kPathMax) return environment;
      without_library(*entry + kPreloadLength, list + length, kPathMax - static_cast<size_t>(length));
      out[n++] = list;
      continue;
    }
    out[n++] = *entry;
  }
  bool has_preload = false;
  for (uint32_t i = 0; i < n; ++i) has_preload |= out[i] == self->path[0];
  if (!has_preload) out[n++] = preload_entry;
  out[n++] = job_entry;
  out[n] = nullptr;
  return const_cast<char* const*>(out);
}

char* const* without_additions(char* const* environment) {
  if (!preload_entry[0] || !self || !environment) return environment;
  uint32_t n = 0;
  const char** out = self->environment;
  for (char* const* entry = environment; *entry; ++entry) {
    if (n + 2 > kMaximumEnvironment) return environment;
    if (starts_with(*entry, kJob)) continue;
    if (starts_with(*entry, kPreload)) {
      memcpy(self->path[0], kPreload, kPreloadLength);
      if (without_library(*entry + kPreloadLength, self->path[0] + kPreloadLength, kPathMax - kPreloadLength) == 0) continue;
      out[n++] = self->path[0];
      continue;
    }
    out[n++] = *entry;
  }
  out[n] = nullptr;
  return const_cast<char* const*>(out);
}

void add_to_environ() {
  EnvironLock lock;
  if (shared.users++ != 0 || !job_entry[0] || !self || !environ) return;
  size_t n = 0;
  while (environ[n]) ++n;
  if (n + 3 > kMaximumEnvironment || (!shared.copy && !(shared.copy = static_cast<EnvironmentCopy*>(base::map_anonymous(sizeof *shared.copy)))))
    return;
  EnvironmentCopy& copy = *shared.copy;
  copy.own_preload = nullptr;
  size_t preload = n;
  for (size_t i = 0; i <= n; ++i) {
    char* entry = i < n ? environ[i] : nullptr;
    copy.entries[i] = copy.before[i] = entry;
    if (!entry || !starts_with(entry, kPreload) || !entry[kPreloadLength]) continue;
    copy.own_preload = entry;
    preload = i;
  }
  if (!fill_preload(copy)) return;
  copy.entries[preload] = copy.preload;
  if (preload == n) ++n;
  copy.entries[n] = job_entry;
  copy.entries[n + 1] = nullptr;
  shared.original = environ;
  environ = copy.entries;
}

void remove_from_environ() {
  EnvironLock lock;
  if (--shared.users != 0 || !shared.original) return;
  EnvironmentCopy& copy = *shared.copy;
  if (environ == copy.entries) {
    // setenv of a variable that exists replaces it in place: take such changes over, and nothing else, since another
    // thread may be at work on the original by now.
    size_t kept = 0;
    while (environ[kept] && environ[kept] != job_entry) ++kept;
    size_t n = 0;
    while (copy.before[n]) ++n;
    bool same_length = kept == n + (copy.own_preload == nullptr);
    for (size_t i = 0; same_length && i < n; ++i)
      if (copy.entries[i] != copy.before[i] && copy.entries[i] != copy.preload) shared.original[i] = copy.entries[i];
    if (!same_length) without_additions_in(copy.entries, shared.original);  // unsetenv moved the rest up
    environ = shared.original;
  } else if (environ) {
    without_additions_in(environ, environ);  // setenv of a new variable made a list of its own, additions and all
  }
  shared.original = nullptr;
}

}  // namespace headrace::capture
