// Arrays in files: datasets of HDF5 and variables of PnetCDF, and parts of a row of bytes for other back ends.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace headrace::workload {

enum class Element : uint8_t { kByte, kInt, kFloat, kDouble };

constexpr uint64_t bytes_of(Element element) {
  constexpr uint64_t kBytes[] = {1, 4, 4, 8};
  return kBytes[static_cast<int>(element)];
}

/// An operation on it (Operation::object) moves whole steps of its first dimension; its offset is that in the row of
/// bytes.
struct PlannedArray {
  std::string name;  // of its own in the file; what is before a slash are groups, where there are such
  Element element = Element::kByte;
  std::vector<uint64_t> shape;       // elements by dimension, the first one slowest; none is 0
  uint64_t offset = 0;               // of its first byte in the row of bytes
  std::vector<uint64_t> chunk = {};  // empty = contiguous
  uint64_t guard = 0;                // cells in memory on each side of every dimension but the first, which no file has

  /// Bytes of a step of the first dimension, and of all.
  uint64_t step() const {
    uint64_t bytes = bytes_of(element);
    for (size_t i = 1; i < shape.size(); ++i) bytes *= shape[i];
    return bytes;
  }
  uint64_t bytes() const { return step() * shape[0]; }
};

/// Lays arrays into a row of bytes, one behind the other. Gives the bytes of all.
inline uint64_t lay_out(std::vector<PlannedArray>& arrays) {
  uint64_t end = 0;
  for (PlannedArray& array : arrays) {
    array.offset = end;
    end += array.bytes();
  }
  return end;
}

}  // namespace headrace::workload
