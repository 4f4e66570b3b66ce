#pragma once
// Names as other formats can have them: valid UTF-8 without NUL, of a bounded length. Pure functions.

#include <string>
#include <string_view>

namespace headrace::convert {

inline constexpr size_t kLongestText = 1u << 19;  // bytes; more is cut

/// Bytes that are no UTF-8, and NUL, become \xHH; all else stays as it is.
std::string plain_text(std::string_view bytes);

}  // namespace headrace::convert
