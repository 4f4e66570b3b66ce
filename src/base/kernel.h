// System calls made straight to the kernel.
//
// Code inside a preloaded library must not call the C library's functions for files: it would meet its own wrappers.
// Async-signal-safe, usable in a vfork child, and never touches errno.
#pragma once
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace headrace::base {

inline long raw_call(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__)
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
#else
#error "system calls are written for x86-64 and aarch64"
#endif
}

template <typename T>
long as_register(T value) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<long>(value);
  else if constexpr (std::is_null_pointer_v<T>)
    return 0;
  else
    return static_cast<long>(value);
}

/// The call's result; when it failed, the negated error number.
template <typename... A>
inline long kernel_call(long number, A... arguments) {
  static_assert(sizeof...(A) <= 6);
  long registers[7] = {as_register(arguments)..., 0};
  return raw_call(number, registers[0], registers[1], registers[2], registers[3], registers[4], registers[5]);
}

/// For a loop that waits for another thread: gives way, after some attempts by sleeping, since giving way alone never
/// lets a thread of lower real-time priority run. Ever longer: hundreds that wait would leave the one that they wait
/// for no time.
inline void pause_briefly(uint32_t attempt) {
  constexpr uint32_t kYields = 16, kSleepsOfOneLength = 8, kLongest = 6;
  if (attempt < kYields) {
    kernel_call(SYS_sched_yield);
    return;
  }
  const uint32_t longer = (attempt - kYields) / kSleepsOfOneLength;
  const timespec time{0, 50'000L << (longer < kLongest ? longer : kLongest)};
  kernel_call(SYS_nanosleep, &time, nullptr);
}

/// Private anonymous memory of zeros, reserved only as it is touched; null when there is none.
inline void* map_anonymous(size_t bytes) {
  long result =
      kernel_call(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return result < 0 ? nullptr : reinterpret_cast<void*>(result);
}
/// Addresses of private memory that may not be touched yet: no limit on data counts it; null when there are none.
inline void* reserve(size_t bytes) {
  long result = kernel_call(SYS_mmap, nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return result < 0 ? nullptr : reinterpret_cast<void*>(result);
}
/// A shared mapping of an open file, at `place` if that is free; null when it fails.
inline void* map_shared(int fd, size_t bytes, void* place = nullptr) {
  long result = kernel_call(SYS_mmap, place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  return result < 0 ? nullptr : reinterpret_cast<void*>(result);
}
/// Gives memory that is about to be written its pages, all of them at once: one by one each takes a fault, which costs
/// more than the page. Only a hint: kernels before 5.14 do not know it.
inline void populate(const void* memory, size_t bytes) {
  constexpr uintptr_t kPage = 4096;  // where pages are larger the kernel may refuse
  constexpr int kPopulateWrite = 23;
  const auto start = reinterpret_cast<uintptr_t>(memory), first = start & ~(kPage - 1);
  kernel_call(SYS_madvise, first, (start + bytes - first + kPage - 1) & ~(kPage - 1), kPopulateWrite);
}
inline void unmap(void* memory, size_t bytes) { kernel_call(SYS_munmap, memory, bytes); }

}  // namespace headrace::base
