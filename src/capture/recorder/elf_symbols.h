// Symbols that a loaded object exports, looked up in its own memory: dlsym takes the loader's lock and may allocate.
#pragma once
#include "capture/recorder/loaded_objects.h"

namespace headrace::capture {

/// Address of a function or variable that `object` defines and exports; 0 when there is none of that name. Through its
/// GNU hash table, which is what linkers make unless they are told otherwise. Async-signal-safe.
uintptr_t exported_symbol(const LoadedObject& object, const char* name);

}  // namespace headrace::capture
