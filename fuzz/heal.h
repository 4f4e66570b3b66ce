#pragma once
// Makes mutated chunk files pass their checksums.

#include <cstdint>
#include <vector>

namespace headrace::fuzz {

/// Recomputes the header checksum behind every magic, and the payload checksum where the payload lies inside.
void heal_checksums(std::vector<uint8_t>& file);

}  // namespace headrace::fuzz
