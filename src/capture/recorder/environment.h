// What the launcher adds to the environment, kept from the program and given to the programs it starts.
//
// A launched program finds its environment as it would be without Headrace; every exec, spawn, system and popen puts
// the additions back, unless the target cannot take a preloaded library (target.h).
#pragma once
#include <cstddef>

namespace headrace::capture {

/// Remembers the additions of this process; in a launched one removes them from `environ`. With `captured` false only
/// remembers nothing. Before main.
void take_environment(const char* job, bool captured);

/// `environment` with the additions, in this thread's scratch memory (valid until its next use here); `environment` itself
/// when there is nothing to add or it does not fit. Usable in a vfork child: allocates nothing.
char* const* with_additions(char* const* environment);
/// `environment` without them, the same way.
char* const* without_additions(char* const* environment);

/// Puts the additions into `environ` for the time of a call that reads it inside the C library (system, popen, wordexp).
/// Such calls may overlap in several threads, and others may set variables meanwhile.
void add_to_environ();
void remove_from_environ();

}  // namespace headrace::capture
