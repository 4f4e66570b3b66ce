#include "programs/sync/openmp_family.h"

#include <dlfcn.h>
#include <sched.h>

#include <atomic>

#include "intercept/caller.h"
#include "programs/sync/waiting.h"

namespace headrace::sync {
namespace {

constexpr size_t kFunctions = static_cast<size_t>(OpenMp::kCount);
constexpr const char* kNames[kFunctions] = {
#define NAME(name) #name,
    OPENMP_FUNCTIONS(NAME)
#undef NAME
};

/// Functions as code of one loaded object means them. Written once.
struct Family {
  intercept::LoadedRange callers;
  void* functions[kFunctions];
};
constexpr uint32_t kFamilies = 64;  // more are looked up call by call
Family families[kFamilies];
std::atomic<uint32_t> made, first;  // those before `first` are of objects that may be gone
std::atomic_flag making = ATOMIC_FLAG_INIT;
__thread bool looking;  // this thread's calls of dlclose are ours

void* known(OpenMp function, const void* caller) {
  const uint32_t end = made.load(std::memory_order_acquire);
  for (uint32_t i = first.load(std::memory_order_relaxed); i < end; ++i)
    if (families[i].callers.contains(caller)) return families[i].functions[static_cast<size_t>(function)];
  return nullptr;
}

void add_family(const void* caller) {
  const uint32_t next = made.load(std::memory_order_relaxed);
  if (next == kFamilies) return;
  Family& family = families[next];
  family.callers = intercept::object_at(caller);
  for (size_t i = 0; i < kFunctions; ++i) family.functions[i] = intercept::beyond(kNames[i], caller);
  made.store(next + 1, std::memory_order_release);
}

}  // namespace

void* openmp(OpenMp function, const void* caller) {
  if (void* found = known(function, caller)) return found;
  looking = true;
  while (making.test_and_set(std::memory_order_acquire)) sched_yield();
  void* found = known(function, caller);
  if (!found) {
    add_family(caller);
    found = known(function, caller);
  }
  making.clear(std::memory_order_release);
  if (!found) found = intercept::beyond(kNames[static_cast<size_t>(function)], caller);
  looking = false;
  return found;
}

namespace {

constinit Real<int(void*)> real_dlclose{"dlclose"};
__attribute__((constructor)) void look_up() { real_dlclose.get(); }

}  // namespace

/// Another object may get the place of one that is gone.
extern "C" WRAPPER(int, dlclose, (void* handle)) {
  const int result = real_dlclose.get()(handle);
  if (!looking) first.store(made.load(std::memory_order_relaxed), std::memory_order_relaxed);
  return result;
}

}  // namespace headrace::sync
