#pragma once
// Hot loops compiled twice: for every processor, and for those with the instructions of 2013 and later (x86-64-v3: bit
// counts and shifts that take any register). The loader chooses once.
#include "base/sanitizers.h"

// Not with sanitizers, which are not yet ready when the loader asks, and not while debugging.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(NDEBUG) && !defined(HEADRACE_SANITIZED)
#define HEADRACE_CLONES __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define HEADRACE_CLONES
#endif
