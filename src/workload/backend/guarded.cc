#include "workload/backend/guarded.h"

#include <cstring>

namespace headrace::workload {
namespace {

/// Calls copy(offset in the rows, offset in memory, bytes) for each row of cells of `steps`.
template <typename Copy>
void for_rows_of_cells(const PlannedArray& array, uint64_t steps, const Copy& copy) {
  const std::vector<uint64_t>& shape = array.shape;
  const size_t last = shape.size() - 1;
  if (last == 0) return copy(0, 0, steps * array.step());  // of one dimension, which has no guards
  const uint64_t row = shape[last] * bytes_of(array.element);
  std::vector<uint64_t> at(shape.size());
  for (uint64_t done = 0; done < steps * array.step(); done += row) {
    uint64_t place = at[0];
    for (size_t i = 1; i <= last; ++i) place = place * (shape[i] + 2 * array.guard) + array.guard + at[i];
    copy(done, place * bytes_of(array.element), row);
    for (size_t i = last; i-- > 0;) {  // the next row
      if (++at[i] < shape[i] || i == 0) break;
      at[i] = 0;
    }
  }
}

}  // namespace

std::vector<unsigned long long> extent_in_memory(const PlannedArray& array, uint64_t steps) {
  std::vector<unsigned long long> extent = {steps};
  for (size_t i = 1; i < array.shape.size(); ++i) extent.push_back(array.shape[i] + 2 * array.guard);
  return extent;
}

void put_between_guards(const PlannedArray& array, std::span<const uint8_t> rows, std::vector<uint8_t>& memory) {
  const uint64_t steps = rows.size() / array.step();
  uint64_t bytes = bytes_of(array.element);
  for (const unsigned long long cells : extent_in_memory(array, steps)) bytes *= cells;
  if (memory.size() < bytes) memory.resize(bytes);
  for_rows_of_cells(array, steps, [&](uint64_t from, uint64_t to, uint64_t count) {
    std::memcpy(memory.data() + to, rows.data() + from, count);
  });
}

void take_from_between_guards(const PlannedArray& array, const std::vector<uint8_t>& memory, std::span<uint8_t> rows) {
  for_rows_of_cells(array, rows.size() / array.step(), [&](uint64_t to, uint64_t from, uint64_t count) {
    std::memcpy(rows.data() + to, memory.data() + from, count);
  });
}

}  // namespace headrace::workload
