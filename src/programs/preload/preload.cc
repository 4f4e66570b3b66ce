// libheadrace.so: the exported wrappers, one for each row of functions.def, and the library's constructor.
//
// A wrapper gets its symbol through an asm label, since glibc declares some of these functions noexcept, noreturn or
// inline; a wrapper is none of these (pthread_cancel unwinds through it).
#include <stdarg.h>

#include "base/start_code.h"
#include "capture/recorder/job_variables.h"
#include "capture/recorder/settings.h"
#include "capture/recorder/start_pages.h"
#include "intercept/next_symbols.h"
#include "programs/preload/hooks.h"
#include "programs/preload/symbol.h"
#include "programs/preload/system_calls.h"

#define EXPORT __attribute__((visibility("default")))

using headrace::preload::Hooks;

extern "C" {

#define FUNCTION(id, ret, params, args, module, doc)    \
  EXPORT ret headrace_##id params HEADRACE_SYMBOL(#id); \
  ret headrace_##id params { return Hooks::id args; }
#define SPECIAL(id, ret, params, args, module, doc)
#define ALIAS(symbol, id)                                                         \
  EXPORT decltype(headrace_##id) headrace_alias_##symbol HEADRACE_SYMBOL(#symbol) \
      __attribute__((alias(HEADRACE_NAME(#id))));
#define SPECIAL_ALIAS(symbol, id)
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
#undef SPECIAL_ALIAS

// ---- variadic functions
EXPORT int headrace_open(const char* path, int flags, ...) HEADRACE_SYMBOL("open");
int headrace_open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return Hooks::open(path, flags, mode);
}

EXPORT int headrace_openat(int directory, const char* path, int flags, ...) HEADRACE_SYMBOL("openat");
int headrace_openat(int directory, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return Hooks::openat(directory, path, flags, mode);
}

// A pointer has room for whatever fcntl and ioctl are given in one register.
EXPORT int headrace_fcntl(int fd, int command, ...) HEADRACE_SYMBOL("fcntl");
int headrace_fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  return Hooks::fcntl(fd, command, argument);
}

EXPORT int headrace_ioctl(int fd, unsigned long request, ...) HEADRACE_SYMBOL("ioctl");
int headrace_ioctl(int fd, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  return Hooks::ioctl(fd, request, argument);
}

EXPORT mqd_t headrace_mq_open(const char* name, int flags, ...) HEADRACE_SYMBOL("mq_open");
mqd_t headrace_mq_open(const char* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
  auto* attributes = (flags & O_CREAT) ? va_arg(rest, struct mq_attr*) : nullptr;
  va_end(rest);
  return Hooks::mq_open(name, flags, mode, attributes);
}

// ---- formatted text: the values go on as a va_list
#define FORMATTED(id, last, params, args)               \
  EXPORT int headrace_##id params HEADRACE_SYMBOL(#id); \
  int headrace_##id params {                            \
    va_list values;                                     \
    va_start(values, last);                             \
    int result = Hooks::id args;                        \
    va_end(values);                                     \
    return result;                                      \
  }
#define TO_STREAM(id, character) \
  FORMATTED(id, format, (FILE * stream, const character* format, ...), (stream, format, values))
#define TO_STANDARD(id, character) FORMATTED(id, format, (const character* format, ...), (format, values))
#define TO_STREAM_CHECKED(id, character) \
  FORMATTED(id, format, (FILE * stream, int flag, const character* format, ...), (stream, flag, format, values))
#define TO_STANDARD_CHECKED(id, character) \
  FORMATTED(id, format, (int flag, const character* format, ...), (flag, format, values))
TO_STREAM(fprintf, char)
TO_STANDARD(printf, char)
TO_STREAM_CHECKED(__fprintf_chk, char)
TO_STANDARD_CHECKED(__printf_chk, char)
TO_STREAM(fwprintf, wchar_t)
TO_STANDARD(wprintf, wchar_t)
TO_STREAM_CHECKED(__fwprintf_chk, wchar_t)
TO_STANDARD_CHECKED(__wprintf_chk, wchar_t)
TO_STREAM(fscanf, char)
TO_STANDARD(scanf, char)
TO_STREAM(__isoc99_fscanf, char)
TO_STANDARD(__isoc99_scanf, char)
TO_STREAM(fwscanf, wchar_t)
TO_STANDARD(wscanf, wchar_t)
TO_STREAM(__isoc99_fwscanf, wchar_t)
TO_STANDARD(__isoc99_wscanf, wchar_t)
#if __GLIBC_PREREQ(2, 38)
TO_STREAM(__isoc23_fscanf, char)
TO_STANDARD(__isoc23_scanf, char)
TO_STREAM(__isoc23_fwscanf, wchar_t)
TO_STANDARD(__isoc23_wscanf, wchar_t)
#endif
FORMATTED(dprintf, format, (int fd, const char* format, ...), (fd, format, values))
FORMATTED(__dprintf_chk, format, (int fd, int flag, const char* format, ...), (fd, flag, format, values))

// ---- exec with the arguments as a list; they go into an array on the stack, as in the C library
#define COLLECT_ARGUMENTS(first)                                                           \
  va_list rest;                                                                            \
  va_start(rest, first);                                                                   \
  size_t count = 1;                                                                        \
  if (first)                                                                               \
    while (va_arg(rest, char*)) ++count;                                                   \
  va_end(rest);                                                                            \
  auto** arguments = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*)));   \
  arguments[0] = const_cast<char*>(first);                                                 \
  va_start(rest, first);                                                                   \
  for (size_t i = 1; i < count + (first ? 1 : 0); ++i) arguments[i] = va_arg(rest, char*); \
  arguments[first ? count : 0] = nullptr;

EXPORT int headrace_execl(const char* path, const char* argument, ...) HEADRACE_SYMBOL("execl");
int headrace_execl(const char* path, const char* argument, ...) {
  COLLECT_ARGUMENTS(argument)
  va_end(rest);
  return Hooks::execv(path, arguments);
}

EXPORT int headrace_execlp(const char* file, const char* argument, ...) HEADRACE_SYMBOL("execlp");
int headrace_execlp(const char* file, const char* argument, ...) {
  COLLECT_ARGUMENTS(argument)
  va_end(rest);
  return Hooks::execvp(file, arguments);
}

EXPORT int headrace_execle(const char* path, const char* argument, ...) HEADRACE_SYMBOL("execle");
int headrace_execle(const char* path, const char* argument, ...) {
  COLLECT_ARGUMENTS(argument)
  char** environment = va_arg(rest, char**);
  va_end(rest);
  return Hooks::execve(path, arguments, environment);
}

// ---- aliases of the above
#define FUNCTION(id, ret, params, args, module, doc)
#define SPECIAL(id, ret, params, args, module, doc)
#define ALIAS(symbol, id)
#define SPECIAL_ALIAS(symbol, id) SPECIAL_ALIAS_##id(symbol, id)
#define SPECIAL_ALIAS_open(symbol, id)                                            \
  EXPORT decltype(headrace_##id) headrace_alias_##symbol HEADRACE_SYMBOL(#symbol) \
      __attribute__((alias(HEADRACE_NAME(#id))));
#define SPECIAL_ALIAS_openat(symbol, id) SPECIAL_ALIAS_open(symbol, id)
#define SPECIAL_ALIAS_fcntl(symbol, id) SPECIAL_ALIAS_open(symbol, id)
#define SPECIAL_ALIAS_fprintf(symbol, id) SPECIAL_ALIAS_open(symbol, id)
#define SPECIAL_ALIAS_printf(symbol, id) SPECIAL_ALIAS_open(symbol, id)
#define SPECIAL_ALIAS_vfork(symbol, id)  // in vfork.S
#include "intercept/functions.def"
#undef FUNCTION
#undef SPECIAL
#undef ALIAS
#undef SPECIAL_ALIAS

/// Called by the wrapper of syscall() for the numbers that touch files (system_calls.S).
__attribute__((visibility("hidden"))) long headrace_system_call(long number, long a, long b, long c, long d, long e,
                                                                long f) {
  return headrace::preload::system_call(number, a, b, c, d, e, f);
}

}  // extern "C"

namespace headrace::preload {
/// Other tools' functions behind ours (functions.cc).
void find_function_hooks();
}  // namespace headrace::preload

HEADRACE_AT_START __attribute__((constructor)) static void construct(int argument_count, char** arguments, char**) {
#ifndef HEADRACE_STATIC
  headrace::capture::take_start_pages();
#endif
  headrace::real::prepare();
#ifndef HEADRACE_STATIC
  headrace::preload::find_function_hooks();
  if (const link_map* own = headrace::intercept::own_map()) headrace::capture::know_library(own->l_name);
#endif
  headrace::preload::prepare_system_calls();
#ifndef HEADRACE_STATIC
  if (const char* setup = headrace::capture::environment_value(headrace::capture::kForwardVariable))
    headrace::preload::start_forwarding(setup);
#endif
  headrace::capture::start_image(argument_count, arguments);
}
