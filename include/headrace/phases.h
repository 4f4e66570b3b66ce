/* Phases: names for parts of a run, so that what a program reads and writes there is counted by itself.
 *
 *   #include <headrace/phases.h>
 *
 *   headrace_phase_begin("dump");
 *   write_dump();
 *   headrace_phase_end("dump");
 *
 * Nothing has to be linked: under `headrace run`, or in a program that is linked with Headrace, the calls find the
 * tracer; anywhere else they do nothing, in about a nanosecond. C99 and later, C++98 and later, GCC and Clang.
 *
 * Names are UTF-8, of which 255 bytes are kept; the tracer copies them. Phases nest by thread: the path of "write"
 * inside "dump" is "dump/write", and its n-th begin in a process is its instance n. A phase counts what all threads of
 * the process do from its begin to its end.
 *
 * Safe from any thread, not from signal handlers. errno stays as it was. A child of fork() is in no phase. A phase that
 * is open when the process ends, ends there, and the log says so. See docs/phases.md.
 */
#ifndef HEADRACE_PHASES_H
#define HEADRACE_PHASES_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* The functions below must not have the symbols of the tracer's, which they look for. Programs see the names alone. */
#define headrace_phase_begin headrace_phases_begin
#define headrace_phase_end headrace_phases_end

/* For compilers that this header knows nothing of, and systems without ELF, phases are left out. */
#if defined(__GNUC__) && defined(__ELF__)

typedef void (*headrace_phases_call)(const char*);

/* References that are weak unless the program has others to the same symbol. Those to the tracer serve programs that
 * Headrace is linked into statically; in executables at fixed addresses (-no-pie) they are null whatever is preloaded,
 * so dlsym looks, which old C libraries have in -ldl: there such executables need that. */
static void headrace_phases_linked_begin(const char*) __attribute__((weakref("headrace_phase_begin"), unused));
static void headrace_phases_linked_end(const char*) __attribute__((weakref("headrace_phase_end"), unused));
static void* headrace_phases_dlsym(void*, const char*) __attribute__((weakref("dlsym"), unused));

static __attribute__((unused, cold, noinline)) headrace_phases_call headrace_phases_find(const char* symbol,
                                                                                         headrace_phases_call linked) {
  union {
    void* object;
    headrace_phases_call function;
  } found;
  const int error = errno;
  found.function = linked;
  if (!linked && headrace_phases_dlsym) found.object = headrace_phases_dlsym(NULL, symbol); /* NULL: RTLD_DEFAULT */
  errno = error;
  return found.function;
}

static void headrace_phases_first_begin(const char*) __attribute__((unused, cold));
static void headrace_phases_first_end(const char*) __attribute__((unused, cold));

/* What a call leads to: at first the search, then the tracer's function, or nothing. Threads that search at the same
 * time find the same. */
static headrace_phases_call headrace_phases_to_begin __attribute__((unused)) = headrace_phases_first_begin;
static headrace_phases_call headrace_phases_to_end __attribute__((unused)) = headrace_phases_first_end;

static void headrace_phases_first_begin(const char* name) {
  headrace_phases_call found = headrace_phases_find("headrace_phase_begin", headrace_phases_linked_begin);
  __atomic_store_n(&headrace_phases_to_begin, found, __ATOMIC_RELAXED);
  if (found) found(name);
}

static void headrace_phases_first_end(const char* name) {
  headrace_phases_call found = headrace_phases_find("headrace_phase_end", headrace_phases_linked_end);
  __atomic_store_n(&headrace_phases_to_end, found, __ATOMIC_RELAXED);
  if (found) found(name);
}

/* Begins the phase `name`, inside of the innermost one that is open in this thread. */
static inline __attribute__((unused)) void headrace_phase_begin(const char* name) {
  headrace_phases_call call = __atomic_load_n(&headrace_phases_to_begin, __ATOMIC_RELAXED);
  if (call) call(name);
}

/* Ends the innermost phase of this name that is open in this thread, with all that was left open inside of it. NULL
 * ends the innermost of any name. Where none is open it does nothing, and the log says how often. */
static inline __attribute__((unused)) void headrace_phase_end(const char* name) {
  headrace_phases_call call = __atomic_load_n(&headrace_phases_to_end, __ATOMIC_RELAXED);
  if (call) call(name);
}

/* Whether there may be a tracer; right once a phase has ended. */
static inline __attribute__((unused)) int headrace_phases_traced(void) {
  return __atomic_load_n(&headrace_phases_to_end, __ATOMIC_RELAXED) != NULL;
}

#else

static inline int headrace_phases_traced(void) { return 0; }
static inline void headrace_phase_begin(const char* name) { (void)name; }
static inline void headrace_phase_end(const char* name) { (void)name; }

#endif

#ifdef __cplusplus
#if __cplusplus >= 201703L
#define HEADRACE_PHASES_NODISCARD [[nodiscard]]
#else
#define HEADRACE_PHASES_NODISCARD
#endif

namespace headrace {

/* A phase that lasts as long as this object, so that it also ends by return, break, goto and exceptions. It belongs to
 * the thread that made it. The name need not stay: it is copied.
 *
 *   headrace::Phase phase("dump");
 */
class Phase {
 public:
  HEADRACE_PHASES_NODISCARD explicit Phase(const char* name) : begun_(name != NULL && headrace_phases_traced()) {
    if (!begun_) return;
    name_[0] = '\0';
    strncat(name_, name, sizeof name_ - 1);
    headrace_phase_begin(name_);
  }
  ~Phase() {
    if (begun_) headrace_phase_end(name_);
  }

 private:
  Phase(const Phase&); /* a phase has one end; C++98 has no "= delete" */
  Phase& operator=(const Phase&);

  bool begun_;
  char name_[256]; /* as much as the tracer keeps */
};

}  // namespace headrace

#undef HEADRACE_PHASES_NODISCARD
#endif

#endif
