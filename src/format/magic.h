#pragma once
// The bytes that begin every chunk, and how files without them are told apart.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace headrace::format {

/// A byte no text has, a name, both kinds of line end and an end-of-file character, so that a transfer that changes
/// text is noticed at once; then the version of the header layout.
inline constexpr std::array<uint8_t, 8> kMagic = {0x89, 'H', 'R', 'C', '\r', '\n', 0x1a, 1};
inline constexpr size_t kMagicStem = 7;  // the part that no version changes

/// What a file that begins with these bytes is, for example "is a Darshan log"; without a guess
/// "is not a Headrace log". Pure.
std::string describe_foreign(base::Bytes beginning);

}  // namespace headrace::format
