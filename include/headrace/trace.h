/* Regions and counters of a program in its event trace (headrace run --trace).
 *
 *   #include <headrace/trace.h>
 *
 *   HEADRACE_REGION_ENTER("solve");
 *   solve();
 *   HEADRACE_COUNTER("residual", residual);
 *   HEADRACE_REGION_LEAVE("solve");
 *
 * and in C++, for as long as the block lasts,
 *
 *   HEADRACE_REGION("solve");
 *
 * Nothing has to be linked: in a traced program the calls find the recorder; anywhere else they do nothing, in about a
 * nanosecond. C99 and later, C++98 and later, GCC and Clang.
 *
 * The macros take a literal and look it up once. headrace_region_enter(name) and so on take any text and look it up
 * each time, which costs as much again. Names are UTF-8, of which 4095 bytes are kept; the recorder copies them. There
 * may be a million of them.
 *
 * Regions nest by thread. Leaving one leaves those inside of it that are still open; leaving one that is not open does
 * nothing. The trace says how often either happened. Unlike phases (headrace/phases.h) regions count nothing, so they
 * cost some tens of nanoseconds, and they are in the trace alone.
 *
 * Safe from any thread. In signal handlers what comes while the thread records something else is left out, and counted.
 * errno stays as it was. A child of fork() is in no region. See docs/regions.md.
 */
#ifndef HEADRACE_TRACE_H
#define HEADRACE_TRACE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

/* What the recorder has, as it hands it out. Only ever longer: `size` says how much is there. */
typedef struct headrace_trace_calls {
  size_t size;
  uint32_t (*region)(const char* name); /* its number; 0: there is no memory for it */
  void (*enter)(uint32_t region);
  void (*leave)(uint32_t region); /* 0: the innermost */
  uint32_t (*counter)(const char* name);
  void (*count)(uint32_t counter, double value); /* UINT32_MAX: of some counter, a value that is no number */
  void (*record)(int on);
} headrace_trace_calls;

/* A name and its number, which is looked for when it is first needed: a variable that lasts as long as the program. */
typedef struct headrace_trace_name {
  const char* text;
  uint32_t number;
} headrace_trace_name;

#if defined(__GNUC__) && defined(__ELF__)

typedef const headrace_trace_calls* (*headrace_trace_find)(void);

/* References that are weak unless the program has others to the same symbol; see headrace/phases.h. */
static const headrace_trace_calls* headrace_trace_linked(void)
    __attribute__((weakref("headrace_trace_recorder"), unused));
static void* headrace_trace_dlsym(void*, const char*) __attribute__((weakref("dlsym"), unused));

/* The recorder's calls: at first these, of nothing, then null where no events are ever recorded. Threads that look at
 * the same time find the same, and so does a child of vfork(), which shares this variable with its parent. */
static const headrace_trace_calls headrace_trace_not_looked
    __attribute__((unused)) = {0, NULL, NULL, NULL, NULL, NULL, NULL};
static const headrace_trace_calls* headrace_trace_known __attribute__((unused)) = &headrace_trace_not_looked;

static __attribute__((unused, cold, noinline, no_instrument_function)) const headrace_trace_calls* headrace_trace_look(
    void) {
  union {
    void* object;
    headrace_trace_find function;
  } found;
  const headrace_trace_calls* calls;
  const int error = errno;
  found.function = headrace_trace_linked;
  if (!found.function && headrace_trace_dlsym)
    found.object = headrace_trace_dlsym(NULL, "headrace_trace_recorder"); /* NULL: RTLD_DEFAULT */
  calls = found.function ? found.function() : NULL;
  __atomic_store_n(&headrace_trace_known, calls, __ATOMIC_RELAXED);
  errno = error;
  return calls;
}

/* The recorder's calls; null: no events are recorded. */
static inline __attribute__((unused, no_instrument_function)) const headrace_trace_calls* headrace_trace(void) {
  const headrace_trace_calls* calls = __atomic_load_n(&headrace_trace_known, __ATOMIC_RELAXED);
  return calls == &headrace_trace_not_looked ? headrace_trace_look() : calls;
}

static __attribute__((unused, cold, noinline, no_instrument_function)) uint32_t
headrace_trace_number(headrace_trace_name* name, uint32_t (*look_up)(const char*)) {
  const uint32_t number = look_up(name->text);
  __atomic_store_n(&name->number, number, __ATOMIC_RELEASE); /* whoever has it finds what it stands for */
  return number;
}

static inline __attribute__((unused, no_instrument_function)) uint32_t
headrace_trace_known_number(headrace_trace_name* name, uint32_t (*look_up)(const char*)) {
  const uint32_t number = __atomic_load_n(&name->number, __ATOMIC_ACQUIRE);
  return number ? number : headrace_trace_number(name, look_up);
}

#define HEADRACE_TRACE_FUNCTION static inline __attribute__((unused, no_instrument_function))
#define HEADRACE_TRACE_INLINE __attribute__((no_instrument_function))

#else

static inline const headrace_trace_calls* headrace_trace(void) { return NULL; }
static inline uint32_t headrace_trace_known_number(headrace_trace_name* name, uint32_t (*look_up)(const char*)) {
  return look_up(name->text);
}
#define HEADRACE_TRACE_FUNCTION static inline
#define HEADRACE_TRACE_INLINE

#endif

/* Enters the region `name`. */
HEADRACE_TRACE_FUNCTION void headrace_region_enter(const char* name) {
  const headrace_trace_calls* calls = headrace_trace();
  if (calls) calls->enter(calls->region(name));
}

/* Leaves the innermost open region of this name, and those inside of it. NULL: the innermost of any name. Regions that
 * were entered before a phase which is still open can be left when that is over. */
HEADRACE_TRACE_FUNCTION void headrace_region_leave(const char* name) {
  const headrace_trace_calls* calls = headrace_trace();
  const uint32_t number = calls && name ? calls->region(name) : 0;
  if (calls && (number || !name)) calls->leave(number);
}

/* Says that the counter `name` has this value from now on, in this thread. */
HEADRACE_TRACE_FUNCTION void headrace_counter(const char* name, double value) {
  const headrace_trace_calls* calls = headrace_trace();
  if (calls) calls->count(calls->counter(name), value);
}

/* The same with a variable that keeps the number: headrace_trace_name solve = {"solve", 0}; */
HEADRACE_TRACE_FUNCTION void headrace_region_enter_known(headrace_trace_name* name) {
  const headrace_trace_calls* calls = headrace_trace();
  if (calls) calls->enter(headrace_trace_known_number(name, calls->region));
}

HEADRACE_TRACE_FUNCTION void headrace_region_leave_known(headrace_trace_name* name) {
  const headrace_trace_calls* calls = headrace_trace();
  const uint32_t number = calls ? headrace_trace_known_number(name, calls->region) : 0;
  if (number) calls->leave(number);
}

HEADRACE_TRACE_FUNCTION void headrace_counter_known(headrace_trace_name* name, double value) {
  const headrace_trace_calls* calls = headrace_trace();
  if (calls) calls->count(headrace_trace_known_number(name, calls->counter), value);
}

/* From here on no thread of this process has its calls and regions recorded. Regions that are open can be left, and
 * their ends are recorded. The trace says how much was left out. The job log still counts everything. */
HEADRACE_TRACE_FUNCTION void headrace_trace_pause(void) {
  const headrace_trace_calls* calls = headrace_trace();
  if (calls) calls->record(0);
}

/* From here on they are recorded again. However often recording was switched off, once is enough. */
HEADRACE_TRACE_FUNCTION void headrace_trace_resume(void) {
  const headrace_trace_calls* calls = headrace_trace();
  if (calls) calls->record(1);
}

/* `name`: a literal. */
#define HEADRACE_REGION_ENTER(name)                             \
  do {                                                          \
    static headrace_trace_name headrace_name = {"" name "", 0}; \
    headrace_region_enter_known(&headrace_name);                \
  } while (0)
#define HEADRACE_REGION_LEAVE(name)                             \
  do {                                                          \
    static headrace_trace_name headrace_name = {"" name "", 0}; \
    headrace_region_leave_known(&headrace_name);                \
  } while (0)
#define HEADRACE_COUNTER(name, value)                           \
  do {                                                          \
    static headrace_trace_name headrace_name = {"" name "", 0}; \
    headrace_counter_known(&headrace_name, value);              \
  } while (0)

#ifdef __cplusplus

namespace headrace {

/* A region that lasts as long as this object, so that it also ends by return, break, goto and exceptions. It belongs to
 * the thread that made it. */
class Region {
 public:
  HEADRACE_TRACE_INLINE explicit Region(const char* name) : calls_(headrace_trace()), number_(0) {
    if (!calls_ || !(number_ = calls_->region(name))) return;
    calls_->enter(number_);
  }
  HEADRACE_TRACE_INLINE explicit Region(headrace_trace_name& name) : calls_(headrace_trace()), number_(0) {
    if (!calls_ || !(number_ = headrace_trace_known_number(&name, calls_->region))) return;
    calls_->enter(number_);
  }
  HEADRACE_TRACE_INLINE ~Region() {
    if (number_) calls_->leave(number_);
  }

 private:
  Region(const Region&); /* a region has one end; C++98 has no "= delete" */
  Region& operator=(const Region&);

  const headrace_trace_calls* calls_;
  uint32_t number_;
};

}  // namespace headrace

#define HEADRACE_TRACE_JOINED(a, b) a##b
#define HEADRACE_TRACE_JOIN(a, b) HEADRACE_TRACE_JOINED(a, b)
/* The rest of the block is the region `name`, a literal. */
#define HEADRACE_REGION(name)                                                                 \
  static headrace_trace_name HEADRACE_TRACE_JOIN(headrace_name_, __LINE__) = {"" name "", 0}; \
  const headrace::Region HEADRACE_TRACE_JOIN(headrace_region_, __LINE__)(HEADRACE_TRACE_JOIN(headrace_name_, __LINE__))

#endif

#undef HEADRACE_TRACE_FUNCTION
#undef HEADRACE_TRACE_INLINE

#endif
