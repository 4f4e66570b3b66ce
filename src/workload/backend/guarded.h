// Memory of simulations: around the cells of a block there are guard cells, which no file has.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "workload/plan/array.h"

namespace headrace::workload {

/// Dimensions of `steps` of an array in memory, in elements.
std::vector<unsigned long long> extent_in_memory(const PlannedArray& array, uint64_t steps);

/// Copies whole steps of an array's first dimension, one row of cells behind the other, to where they are in memory
/// with guard cells, and back. `memory` grows to what it must have; what guard cells are is nobody's business.
void put_between_guards(const PlannedArray& array, std::span<const uint8_t> rows, std::vector<uint8_t>& memory);
void take_from_between_guards(const PlannedArray& array, const std::vector<uint8_t>& memory, std::span<uint8_t> rows);

}  // namespace headrace::workload
