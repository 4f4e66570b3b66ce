#include "capture/recorder/thread_starts.h"

#include "base/clock.h"

namespace headrace::capture {

__thread uint64_t thread_began;

namespace {

constexpr uint32_t kStarts = 128;  // at once between their creation and their first instruction; more are not noted

template <typename Result>
ThreadStart<Result> starts[kStarts];

template <typename Result>
ThreadStart<Result>* keep(Result (*start)(void*), void* argument) {
  for (ThreadStart<Result>& each : starts<Result>) {
    uint32_t free = 0;
    if (each.taken.load(std::memory_order_relaxed) != 0 ||
        !each.taken.compare_exchange_strong(free, 1, std::memory_order_acquire))
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
  kept->taken.store(0, std::memory_order_release);
  thread_began = base::ticks();
  return start(argument);
}

}  // namespace

ThreadStart<void*>* keep_start(void* (*start)(void*), void* argument) { return keep(start, argument); }
ThreadStart<int>* keep_start(int (*start)(void*), void* argument) { return keep(start, argument); }

void* begin_noted(void* start) { return begin_thread<void*>(start); }
int begin_noted_c11(void* start) { return begin_thread<int>(start); }

void forget_starts() {
  for (auto& each : starts<void*>) each.taken.store(0);
  for (auto& each : starts<int>) each.taken.store(0);
  thread_began = 0;
}

}  // namespace headrace::capture
