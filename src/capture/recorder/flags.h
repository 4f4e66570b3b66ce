// The bits of a record's `flags` counter, from the one list.
#pragma once
#include <cstdint>

namespace headrace::capture::flag {

#define COUNTER(name, unit, merge, doc)
#define FLAG(name, bit, doc) inline constexpr uint32_t name = 1u << bit;
#include "model/counters.def"
#undef COUNTER
#undef FLAG

}  // namespace headrace::capture::flag
