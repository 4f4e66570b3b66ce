// The function that a call would have reached without us, where the next definition in the program's search order is
// not it: libraries loaded for one plug-in alone (Python wheels bring their own HDF5 and MPI, RTLD_LOCAL) are in
// nobody's search order but the plug-in's.
#pragma once
#include <cstddef>
#include <cstdint>

namespace headrace::intercept {

/// Where a loaded object lies in memory.
struct LoadedRange {
  uintptr_t start = 0, end = 0;
  bool contains(const void* address) const {
    const auto at = reinterpret_cast<uintptr_t>(address);
    return at >= start && at < end;
  }
};

/// The object that `address` lies in; empty when in none. Not async-signal-safe.
LoadedRange object_at(const void* address);

/// What `name` means to the code at `caller`: looked for in the caller's own libraries and those that they need, then
/// in the program's search order behind this library. Null: nowhere. Not async-signal-safe; leaves the program's
/// dlerror() as it was but for a message that it has not asked for yet.
void* beyond(const char* name, const void* caller);

/// Puts it into *function, also null; whether there is one.
template <typename F>
bool find_beyond(F** function, const char* name, const void* caller) {
  *function = reinterpret_cast<F*>(beyond(name, caller));
  return *function != nullptr;
}

/// The same for a variable, which a program may hold a copy of (copy relocations) that all its libraries then use.
void* variable_beyond(const char* name, const void* caller);

}  // namespace headrace::intercept
