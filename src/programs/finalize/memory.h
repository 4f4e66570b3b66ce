// Where the library goes when there is no memory: back to where it was called, instead of ending the program.
#pragma once
#include <setjmp.h>

namespace headrace::programs {

extern jmp_buf without_memory;
extern thread_local bool can_leave;  // without_memory is set, in this thread

}  // namespace headrace::programs
