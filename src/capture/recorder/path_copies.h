// Copies of the paths of operations that are under way: the kernel has taken its own, so the program may change them.
//
// Thread-safe. A copy is an address, 0 where there is none; it takes two pages and more until it is forgotten.
#pragma once
#include <cstdint>

namespace headrace::capture {

/// `first`, `second`: addresses of paths in the program; 0: there is none. Returns 0 where one cannot be read, is too
/// long, or where there is no memory.
uint64_t copy_paths(uint64_t first, uint64_t second);
/// Null: there is no copy.
const char* first_path(uint64_t copy);
/// Empty where there was none.
const char* second_path(uint64_t copy);
void forget_paths(uint64_t copy);

}  // namespace headrace::capture
