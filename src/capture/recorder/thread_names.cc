#include "capture/recorder/thread_names.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/single_threaded.h>

#include "base/kernel.h"
#include "base/start_code.h"
#include "capture/recorder/events.h"
#include "capture/recorder/update.h"

namespace headrace::capture {
namespace {

char first_name[kThreadName];  // that threads and forked children have, unless they get another one

void keep(Thread* thread, const char* name) {
  if (!*name || strncmp(name, *thread->name ? thread->name : first_name, kThreadName) == 0) return;
  if (add_thread_name(thread->number, name, static_cast<uint32_t>(strnlen(name, kThreadName))))
    memcpy(thread->name, name, kThreadName);
}

/// Of another thread; empty where it is gone.
void read_name(uint32_t number, char* name) {
  char path[40] = "/proc/self/task/";
  char digits[12];
  char* digit = digits + sizeof digits;
  *--digit = '\0';
  for (; number != 0; number /= 10) *--digit = static_cast<char>('0' + number % 10);
  strcpy(stpcpy(path + strlen(path), digit), "/comm");
  const long fd = base::kernel_call(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const long length = base::kernel_call(SYS_read, fd, name, kThreadName - 1);
  base::kernel_call(SYS_close, fd);
  name[length > 0 ? length : 0] = '\0';
  if (char* end = strchr(name, '\n')) *end = '\0';
}

}  // namespace

void begin_thread_names() {
  if (*first_name) return;
  base::kernel_call(SYS_prctl, PR_GET_NAME, first_name);
}

void note_thread_name() {
  char name[kThreadName] = {};
  if (base::kernel_call(SYS_prctl, PR_GET_NAME, name) == 0) keep(self, name);
}

HEADRACE_AT_START void note_thread_names() {
  Update update;
  if (!state.tracing || __libc_single_threaded || !update.enter()) return;
  for (Thread* thread = state.threads.load(); thread; thread = thread->next) {
    const uint32_t number = __atomic_load_n(&thread->system_number, __ATOMIC_RELAXED);
    if (number == 0 || (!thread->events && !thread->told)) continue;
    char name[kThreadName] = {};
    read_name(number, name);
    if (__atomic_load_n(&thread->system_number, __ATOMIC_RELAXED) == number) keep(thread, name);
  }
  update.leave();
}

}  // namespace headrace::capture
