#pragma once
// What is clustered: rows of numbers, one row a rank, a process, a file, anything.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace headrace::cluster {

/// A view of a table in memory, row by row without gaps; it must outlive the view.
struct Points {
  const void* data = nullptr;
  size_t rows = 0;
  uint32_t dims = 0;
  bool doubles = false;  // float otherwise

  size_t row_bytes() const { return dims * (doubles ? sizeof(double) : sizeof(float)); }
  double at(size_t row, uint32_t dim) const {
    const size_t i = row * dims + dim;
    return doubles ? static_cast<const double*>(data)[i] : static_cast<const float*>(data)[i];
  }
};

/// Beyond this a difference of two values may overflow; such a value says as little as infinity does.
inline constexpr double kLargest = 1e300;

/// Rows with a value that is no number, or none that can be calculated with, are left out of everything and counted.
inline bool usable(double value) { return std::fabs(value) <= kLargest; }  // false for NaN

}  // namespace headrace::cluster
