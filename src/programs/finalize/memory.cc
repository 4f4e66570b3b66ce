// Memory of the library's own C++ objects. Where the program has used up all there is, the standard library would end
// the process; here the reduction is left behind instead, and the spools keep everything.
#include "programs/finalize/memory.h"

#include <stdlib.h>

#include <cstddef>
#include <new>

namespace headrace::programs {

jmp_buf without_memory;
thread_local bool can_leave = false;

}  // namespace headrace::programs

namespace {

void* take(std::size_t bytes) {
  void* memory = malloc(bytes ? bytes : 1);
  if (memory == nullptr && headrace::programs::can_leave) longjmp(headrace::programs::without_memory, 1);
  if (memory == nullptr) abort();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return take(bytes); }
void* operator new[](std::size_t bytes) { return take(bytes); }
void operator delete(void* memory) noexcept { free(memory); }
void operator delete[](void* memory) noexcept { free(memory); }
void operator delete(void* memory, std::size_t) noexcept { free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { free(memory); }
