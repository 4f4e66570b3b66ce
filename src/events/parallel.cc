#include "events/parallel.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace headrace::events {

unsigned usual_threads() { return static_cast<unsigned>(std::clamp(sysconf(_SC_NPROCESSORS_ONLN), 1L, 4L)); }

void in_parallel(unsigned threads, const std::function<void()>& work) {
  const auto run = [](void* argument) -> void* {
    (*static_cast<const std::function<void()>*>(argument))();
    return nullptr;
  };
  std::vector<pthread_t> others;
  for (unsigned i = 1; i < threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, nullptr, run, const_cast<std::function<void()>*>(&work)) != 0) break;
    others.push_back(thread);
  }
  work();
  for (const pthread_t thread : others) pthread_join(thread, nullptr);
}

}  // namespace headrace::events
