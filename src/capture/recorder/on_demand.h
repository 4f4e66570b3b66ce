// Memory that most processes never need: mapped when it is first asked for. Limits on a process's data count what is
// there from the start, whether it is touched or not.
#pragma once
#include <atomic>
#include <new>

#include "base/kernel.h"

namespace headrace::capture {

/// A T of zeros, which must be what a T is made as. Thread-safe; async-signal-safe; never given back.
template <typename T>
class OnDemand {
 public:
  /// Null: nobody asked for it yet.
  T* there() const { return place_.load(std::memory_order_acquire); }

  /// Null: there is no memory.
  T* get() {
    T* place = there();
    return __builtin_expect(place != nullptr, 1) ? place : map();
  }

 private:
  __attribute__((noinline, cold)) T* map() {
    void* memory = base::map_anonymous(sizeof(T));
    if (!memory) return nullptr;
    T* first = nullptr;
    T* mine = std::launder(static_cast<T*>(memory));
    if (place_.compare_exchange_strong(first, mine, std::memory_order_acq_rel)) return mine;
    base::unmap(memory, sizeof(T));
    return first;
  }

  std::atomic<T*> place_{nullptr};
};

}  // namespace headrace::capture
