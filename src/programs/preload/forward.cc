#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "base/clock.h"
#include "capture/recorder/asynchronous.h"
#include "capture/recorder/server_waits.h"
#include "programs/preload/forwarding.h"

namespace headrace::preload {

const forward::program::Calls* forwarding;

namespace {

using forward::program::ServerAnswer;
using intercept::LibraryFn;

/// As part of the ticks that the nanoseconds took.
uint64_t ticks_of(uint64_t part_ns, uint64_t ticks, uint64_t ns) {
  return ns == 0 ? 0
                 : static_cast<uint64_t>(static_cast<double>(ticks) * static_cast<double>(std::min(part_ns, ns)) /
                                         static_cast<double>(ns));
}

void answered(const ServerAnswer& answer) {
  static constexpr LibraryFn kWhole[] = {LibraryFn::server_read, LibraryFn::server_write, LibraryFn::server_commit,
                                         LibraryFn::server_metadata};
  const capture::Timed time{answer.begun, base::ticks()};
  capture::server_answered(kWhole[answer.kind], answer.ok, answer.bytes, time,
                           ticks_of(answer.waited_ns, time.spent(), answer.elapsed_ns),
                           ticks_of(answer.worked_ns, time.spent(), answer.elapsed_ns));
}

constinit const forward::program::Recorder recorder = {base::ticks, answered};

}  // namespace

void start_forwarding(const char* setup) {
  if (setup == nullptr) return;
  Dl_info info;
  char path[512] = "";
  if (dladdr(reinterpret_cast<void*>(&start_forwarding), &info) != 0 && info.dli_fname != nullptr) {
    const char* slash = strrchr(info.dli_fname, '/');
    const int length = slash ? static_cast<int>(slash - info.dli_fname) : 0;
    snprintf(path, sizeof path, "%.*s/libheadrace-forward.so", length, info.dli_fname);
  }
  // In no scope but its own: what it calls of the C library must not come back to our wrappers.
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  auto* start =
      library ? reinterpret_cast<forward::program::Start*>(dlsym(library, forward::program::kEntry)) : nullptr;
  if (start != nullptr)
    forwarding = start(setup, &recorder);
  else
    dprintf(2, "headrace: %s: %s; nothing is forwarded\n", path, dlerror());
  if (forwarding == nullptr) return;
  capture::on_submission = [](int fd) {
    if (is_forwarded(fd)) forwarding->refused(fd);
  };
  remember_standard_streams();
  for (int fd = 0; fd < 3; ++fd) standard_descriptor_changed(fd);
}

}  // namespace headrace::preload
