#include "capture/recorder/current_call.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/kernel.h"
#include "capture/recorder/exclusion.h"
#include "capture/recorder/names.h"
#include "capture/recorder/open_calls.h"

namespace headrace::capture {

namespace {

/// Whether the kernel can read the word that a byte lies in.
bool is_readable(uintptr_t address) {
  constexpr int kNothing = -1;  // the kernel reads the set before it refuses this
  return base::kernel_call(SYS_rt_sigprocmask, kNothing, address & ~uintptr_t{7}, nullptr, sizeof(uint64_t)) != -EFAULT;
}

/// Whether it ends, within the length of a path, before an address that cannot be read: the kernel says so without
/// harm.
bool is_text(const char* text) {
  constexpr uintptr_t kPage = 4096;
  for (size_t length = 0; length < kPathMax;) {
    const auto at = reinterpret_cast<uintptr_t>(text) + length;
    const size_t here = kPage - at % kPage;
    if (!is_readable(at)) return false;
    const size_t found = strnlen(text + length, here);
    if (found < here) return true;
    length += here;
  }
  return false;
}

bool has_path(const ThreadBlock* mine, const CurrentCall& innermost) {
  for (const CurrentCall* each = mine->calls; each != &innermost; ++each)
    if (each->by_path) return true;
  return false;
}

}  // namespace

ThreadBlock* block_of_beginner() {
  if (in_vfork_child()) return nullptr;
  const int saved = errno;
  ensure_thread();
  errno = saved;
  return block;
}

void note_current_path(CurrentCall& call, ThreadBlock* mine, int directory, const char* path) {
  if (!path || !self || has_path(mine, call) || !is_text(path) || *path == '\0') return;
  const int saved = errno;
  Update update;
  if (update.enter()) {
    const PathName name = absolute_name(directory, path, 0);
    const bool excluded = excluding_rule(name.text, name.length) >= 0;  // it has no name in a trace
    if (!excluded) call.file = name.hash;
    if (!excluded && name.length < kCurrentPath) {
      memcpy(mine->path, name.text, name.length);
      mine->path[name.length] = '\0';
      std::atomic_signal_fence(std::memory_order_release);
      call.by_path = 1;
    }
    update.leave();
  }
  errno = saved;
}

void begin_on(InCall& current, Fn function, uint64_t start, OnTag on, const void* frame) {
  const uint64_t file = is_tracked(on.tag) ? file_of(on.tag)->hash : 0;
  current.begin(static_cast<uint16_t>(function), 0, start, file, frame);
}

void begin_on(InCall& current, Fn function, uint64_t start, OnDescriptor on, const void* frame) {
  std::atomic<uint64_t>* entry = entry_of(on.fd);
  begin_on(current, function, start, OnTag{entry ? entry->load(std::memory_order_relaxed) : kUnknownTag}, frame);
}

void begin_on(InCall& current, Fn function, uint64_t start, OnNothing, const void* frame) {
  current.begin(static_cast<uint16_t>(function), 0, start, 0, frame);
}

void begin_on(InCall& current, Fn function, uint64_t start, OnPath on, const void* frame) {
  current.begin(static_cast<uint16_t>(function), 0, start, 0, frame);
  if (HEADRACE_UNLIKELY(state.tracing)) current.on_path(on.directory, on.path);
}

void begin_library(InCall& current, uint16_t function, uint64_t start, const void* frame) {
  current.begin(static_cast<uint16_t>(function | kLibraryFunction), 0, start, 0, frame);
}

void end_call(InCall& current) { current.end(); }

}  // namespace headrace::capture
