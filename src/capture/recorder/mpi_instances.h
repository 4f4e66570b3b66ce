// How many communicators of a kind this process made: the same number at all their members, who made them in one order.
#pragma once
#include <cstdint>

namespace headrace::capture::mpi {

/// How many came before, of which this one is one more. Of more kinds than there is room for: 0, as if all were one.
uint32_t instances_before(uint64_t kind);

}  // namespace headrace::capture::mpi
