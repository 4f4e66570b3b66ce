// Reading memory that may not be there: a smashed stack or a garbage frame pointer must not crash the program.
#pragma once
#include <errno.h>
#include <sys/uio.h>

#include <cstring>

#include "base/kernel.h"

namespace headrace::capture {

/// Knows which memory it has seen to be readable: one span of pages, asked of the kernel page by page as they are
/// needed (about 0.1 µs each). Meant for one walk: nothing tells it that memory was unmapped since. Async-signal-safe.
class Readable {
 public:
  Readable() = default;
  /// What lies in [low, high) is known to be there.
  Readable(uintptr_t low, uintptr_t high) : low_(low), high_(high) {}
  /// For memory that stays until the process ends: each page is asked for once, whoever asks.
  static Readable lasting() {
    Readable made;
    made.lasts_ = true;
    return made;
  }

  bool covers(uintptr_t address, size_t bytes) {
    const uintptr_t end = address + bytes;
    if (end < address) return false;
    if (__builtin_expect(address >= low_ && end <= high_, 1)) return true;
    return extend(address, end);
  }
  /// Asks the kernel.
  static bool page_is_readable(uintptr_t page) {
    constexpr int kNothing = -1;  // the kernel reads the set before it refuses this
    return page != 0 && base::kernel_call(SYS_rt_sigprocmask, kNothing, page, nullptr, sizeof(uint64_t)) != -EFAULT;
  }
  /// The word at an address; false when it cannot be read. A sanitizer would take a guess at what lies there for a
  /// mistake.
  __attribute__((no_sanitize("address", "thread"))) bool load(uintptr_t address, uint64_t* out) {
    if (address % 8 != 0 || !covers(address, 8)) return false;
    *out = *reinterpret_cast<const uint64_t*>(address);
    return true;
  }

 private:
  static constexpr uintptr_t kPage = 4096;  // the smallest there is: also right where pages are larger

  static bool lasting_page_is_readable(uintptr_t page) {
    uintptr_t& known = seen_[page / kPage % kSeen];
    if (__atomic_load_n(&known, __ATOMIC_RELAXED) == page) return true;
    if (!page_is_readable(page)) return false;
    __atomic_store_n(&known, page, __ATOMIC_RELAXED);
    return true;
  }
  __attribute__((noinline, cold)) bool extend(uintptr_t address, uintptr_t end) {
    for (uintptr_t page = address & ~(kPage - 1); page < end; page += kPage) {
      if (page >= low_ && page + kPage <= high_) continue;
      if (!(lasts_ ? lasting_page_is_readable(page) : page_is_readable(page))) return false;
      if (page == high_)
        high_ += kPage;
      else if (page + kPage == low_)
        low_ = page;
      else
        low_ = page, high_ = page + kPage;
    }
    return end - address <= kPage || (address >= low_ && end <= high_);
  }

  static constexpr size_t kSeen = 512;
  static inline constinit uintptr_t seen_[kSeen] = {};
  uintptr_t low_ = 0, high_ = 0;
  bool lasts_ = false;
};

/// Copies what the program may unmap or shorten at the same time, which looking at pages before would not survive.
/// Returns how many bytes could be read. Async-signal-safe.
inline size_t copy_of_program(uintptr_t from, void* to, size_t bytes) {
  constexpr uintptr_t kPage = 4096;
  size_t done = 0;
  while (done < bytes) {  // page by page: of a part that reaches into missing memory the kernel may give nothing
    const size_t rest = kPage - (from + done) % kPage, part = rest < bytes - done ? rest : bytes - done;
    const iovec into{static_cast<char*>(to) + done, part}, of{reinterpret_cast<void*>(from + done), part};
    const long got = base::kernel_call(SYS_process_vm_readv, base::kernel_call(SYS_getpid), &into, 1, &of, 1, 0);
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace headrace::capture
