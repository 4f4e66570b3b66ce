// System calls made without the C library, which no preload library can see: the reference beside which the same call
// through the C library is measured. syscall(2) of the C library would not do, since a library may interpose it too.
#pragma once

#include <errno.h>
#include <sys/syscall.h>

static inline long direct_call(long number, long a, long b, long c, long d) {
#if defined(__x86_64__)
  register long r10 __asm__("r10") = d;
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long result __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  __asm__ volatile("svc 0" : "+r"(result) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
#else
#error "say here how this processor enters the kernel"
#endif
  if (result >= 0) return result;
  errno = (int)-result;
  return -1;
}
