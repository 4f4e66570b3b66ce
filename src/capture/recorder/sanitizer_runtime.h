// The runtime of a sanitizer that insists on being the first library of a program, before all that is preloaded.
#pragma once
#include <cstddef>

namespace headrace::capture {

inline constexpr size_t kRuntimeName = 40;  // bytes, with a NUL

/// Whether a library of this name or path is one: AddressSanitizer's, of GCC or of Clang.
bool is_sanitizer_runtime(const char* path, size_t length);

/// The length of the first of a list of libraries to preload (separated by ":" or " ") if that is one, else 0.
size_t leading_runtime(const char* list);

/// Copies the name of the first library that the 64-bit ELF file `fd` needs to `name` (kRuntimeName bytes) if that is
/// one, else "". The program's loader finds it by this name. Async-signal-safe; usable in a vfork child.
void find_sanitizer_runtime(long fd, char* name);

}  // namespace headrace::capture
