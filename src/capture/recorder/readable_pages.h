// Reading objects that lie anywhere in memory and may not be there: like Readable, for many small places.
#pragma once
#include "capture/recorder/readable.h"

namespace headrace::capture {

/// Pages that the kernel said are readable. Async-signal-safe.
///
/// Asking costs a system call, so a set may go on from one look to the next, in `Lasting`, for memory that is in use as
/// long as the caller looks at it: then it only guards against pointers to where nothing ever was.
class ReadablePages {
 public:
  static constexpr size_t kPages = 1024;
  using Lasting = uintptr_t[kPages];

  /// Asks anew.
  ReadablePages() : known_(own_), mask_(kOwn - 1) {}
  /// `lasting` is shared by whoever looks.
  explicit ReadablePages(Lasting& lasting) : known_(lasting), mask_(kPages - 1) {}
  ReadablePages(const ReadablePages&) = delete;
  ReadablePages& operator=(const ReadablePages&) = delete;

  bool covers(uintptr_t address, size_t bytes) {
    const uintptr_t end = address + bytes;
    if (end < address || bytes > kMost || address < kPage) return false;  // an empty row is page 0
    for (uintptr_t page = address & ~(kPage - 1); page < end; page += kPage) {
      uintptr_t& known = known_[page / kPage & mask_];
      if (__atomic_load_n(&known, __ATOMIC_RELAXED) == page) continue;
      if (!Readable::page_is_readable(page)) return false;
      __atomic_store_n(&known, page, __ATOMIC_RELAXED);
    }
    return true;
  }
  /// What lies at an address; false when it cannot be read. A sanitizer would take it for a mistake.
  template <typename T>
  __attribute__((no_sanitize("address", "thread"))) bool load(uintptr_t address, T* out) {
    if (address % alignof(T) != 0 || !covers(address, sizeof(T))) return false;
    *out = *reinterpret_cast<const T*>(address);
    return true;
  }

 private:
  static constexpr uintptr_t kPage = 4096;
  static constexpr size_t kOwn = 32, kMost = 1 << 20;
  uintptr_t* known_;
  size_t mask_;
  uintptr_t own_[kOwn] = {};
};

}  // namespace headrace::capture
