// For tests: files and columns put together from parts.
#pragma once
#include <cstdint>
#include <vector>

namespace headrace::format {

inline std::vector<uint8_t> operator+(std::vector<uint8_t> a, const std::vector<uint8_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace headrace::format
