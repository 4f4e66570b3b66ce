// The symbol of a wrapper: the function's own in the preload library, and what `ld --wrap` calls it in static programs.
#pragma once

#ifdef HEADRACE_STATIC
#define HEADRACE_NAME(name) "__wrap_" name
#else
#define HEADRACE_NAME(name) name
#endif
#define HEADRACE_SYMBOL(name) __asm__(HEADRACE_NAME(name))
