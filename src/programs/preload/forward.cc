#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "programs/preload/forward_hooks.h"

namespace headrace::preload {

const forward::program::Calls* forwarding;

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
    forwarding = start(setup);
  else
    dprintf(2, "headrace: %s: %s; nothing is forwarded\n", path, dlerror());
  if (forwarding == nullptr) return;
  remember_standard_streams();
  for (int fd = 0; fd < 3; ++fd) standard_descriptor_changed(fd);
}

}  // namespace headrace::preload
