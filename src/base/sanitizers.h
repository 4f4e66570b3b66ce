// Whether a sanitizer looks on; GCC and Clang say so in ways of their own.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define HEADRACE_SANITIZED 1
#elif defined(__SANITIZE_THREAD__)
#define HEADRACE_SANITIZED 1
#define HEADRACE_SANITIZED_THREADS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HEADRACE_SANITIZED 1
#elif __has_feature(thread_sanitizer)
#define HEADRACE_SANITIZED 1
#define HEADRACE_SANITIZED_THREADS 1
#endif
#endif
