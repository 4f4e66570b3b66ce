#pragma once
// Log text is arbitrary bytes; strings of Python, Arrow and other formats are not. Pure functions.

#include <string>
#include <string_view>

namespace headrace::base {

/// Whether the bytes are UTF-8 as the Unicode standard defines it (no surrogates, no overlong forms, ≤ U+10FFFF).
bool is_utf8(std::string_view bytes);

bool is_ascii(std::string_view bytes);

/// Appends the text with each byte that is not part of valid UTF-8 as \xHH. Valid text is appended as it is, its
/// own backslashes included: who must tell `\xff` from the byte 255 asks for the raw bytes.
void append_escaped(std::string_view bytes, std::string& to);

}  // namespace headrace::base
