#include <errno.h>

extern "C" __attribute__((visibility("hidden"))) int headrace_fail_with(int error) {
  errno = error;
  return -1;
}
