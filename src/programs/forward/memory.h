// The C++ memory of this library.
#pragma once

namespace headrace::forward::program {

/// Before other handlers of fork are set, whose locks may be held when memory is taken.
void prepare_memory();

}  // namespace headrace::forward::program
