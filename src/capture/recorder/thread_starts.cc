#include "capture/recorder/thread_starts.h"

#include "base/clock.h"
#include "capture/recorder/on_demand.h"
#include "capture/recorder/update.h"

namespace headrace::capture {

__thread uint64_t thread_began;

namespace {

template <typename Result>
struct Starts {
  ThreadStart<Result> of[kThreadStarts];
};
template <typename Result>
constinit OnDemand<Starts<Result>> starts;

template <typename Result>
std::atomic<uint32_t>& taken(const ThreadStart<Result>* kept) {
  return state.wiped->starts[sizeof(Result) == sizeof(int)][kept - starts<Result>.there()->of];
}

template <typename Result>
ThreadStart<Result>* keep(Result (*start)(void*), void* argument) {
  Starts<Result>* all = starts<Result>.get();
  if (!all) return nullptr;
  for (ThreadStart<Result>& each : all->of) {
    uint32_t free = 0;
    if (taken(&each).load(std::memory_order_relaxed) != 0 ||
        !taken(&each).compare_exchange_strong(free, 1, std::memory_order_acquire))
      continue;
    each.start = start;
    each.argument = argument;
    return &each;
  }
  return nullptr;
}

/// The call is the last thing here, and becomes a jump.
template <typename Result>
Result begin_thread(void* noted) {
  auto* kept = static_cast<ThreadStart<Result>*>(noted);
  Result (*start)(void*) = kept->start;
  void* argument = kept->argument;
  taken(kept).store(0, std::memory_order_release);
  thread_began = base::ticks();
  watch_end();
  return start(argument);
}

}  // namespace

ThreadStart<void*>* keep_start(void* (*start)(void*), void* argument) { return keep(start, argument); }
ThreadStart<int>* keep_start(int (*start)(void*), void* argument) { return keep(start, argument); }
void give_back(ThreadStart<void*>* kept) { taken(kept).store(0, std::memory_order_release); }
void give_back(ThreadStart<int>* kept) { taken(kept).store(0, std::memory_order_release); }

void* begin_noted(void* start) { return begin_thread<void*>(start); }
int begin_noted_c11(void* start) { return begin_thread<int>(start); }

}  // namespace headrace::capture
