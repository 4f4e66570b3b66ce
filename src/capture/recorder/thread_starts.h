// When threads begin. The program's own routine is called by one that reads the clock first, and leaves no frame
// behind.
//
// Only where events are recorded. Thread-safe. What a thread is to run is kept until it has read it, and given back by
// it; a forked child finds all places free from its first instruction on, and may start threads before its first call.
#pragma once
#include <threads.h>

#include <cstdint>

#include "capture/recorder/state.h"

namespace headrace::capture {

/// When the calling thread began, ticks; 0: not known.
extern __thread uint64_t thread_began __attribute__((tls_model("initial-exec"), visibility("hidden")));

/// What a new thread is to run.
template <typename Result>
struct ThreadStart {
  Result (*start)(void*);
  void* argument;
};

/// Where what is to be run is kept until the thread is there; null: nowhere.
ThreadStart<void*>* keep_start(void* (*start)(void*), void* argument);
ThreadStart<int>* keep_start(int (*start)(void*), void* argument);
/// No thread came to read it.
void give_back(ThreadStart<void*>* kept);
void give_back(ThreadStart<int>* kept);
void* begin_noted(void* start);
int begin_noted_c11(void* start);

/// What to start a thread with in place of the program's own.
template <typename Result>
class NotedStart {
 public:
  NotedStart(Result (*start)(void*), void* argument)
      : start_(start), argument_(argument), kept_(state.tracing ? keep_start(start, argument) : nullptr) {}
  Result (*start() const)(void*) {
    if (!kept_) return start_;
    if constexpr (sizeof(Result) == sizeof(int))
      return begin_noted_c11;
    else
      return begin_noted;
  }
  void* argument() const { return kept_ ? kept_ : argument_; }
  /// Passes the result of starting it through; 0 of both ways is success.
  int done(int result) {
    if (result != 0 && kept_) give_back(kept_);
    return result;
  }

 private:
  Result (*start_)(void*);
  void* argument_;
  ThreadStart<Result>* kept_;
};

}  // namespace headrace::capture
