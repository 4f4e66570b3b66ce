#include "capture/recorder/process_hooks.h"

#include <stdio.h>

namespace headrace::capture {

const char* path_of_descriptor(int fd) {
  static char nowhere[] = "";
  if (!self) return nowhere;
  snprintf(self->path[2], kPathMax, "/proc/self/fd/%d", fd);
  return self->path[2];
}

}  // namespace headrace::capture
