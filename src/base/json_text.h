#pragma once
// Texts of arbitrary bytes as JSON. Header-only, no globals: safe in any thread.

#include <cstdio>
#include <string>
#include <string_view>

namespace headrace::base {

/// Length of the UTF-8 sequence at the start of `text`, or 0 when it is none.
inline size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xc2 ? 0 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  if (length == 0 || byte(0) > 0xf4 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (byte(0) == 0xe0 && byte(1) < 0xa0) return 0;  // overlong
  if (byte(0) == 0xed && byte(1) > 0x9f) return 0;  // surrogate
  if (byte(0) == 0xf0 && byte(1) < 0x90) return 0;  // overlong
  if (byte(0) == 0xf4 && byte(1) > 0x8f) return 0;  // beyond Unicode
  return length;
}

inline void append_json(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    char escape[8];
    if (length == 0) {
      snprintf(escape, sizeof escape, "\\udc%02x", first);
      out += escape;
    } else if (first == '"' || first == '\\') {
      out += '\\';
      out += text[0];
    } else if (first < 0x20 || first == 0x7f) {
      snprintf(escape, sizeof escape, "\\u%04x", first);
      out += escape;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

/// A JSON array of strings; bytes that are not UTF-8 become the lone surrogates that Python's os.fsencode turns back.
template <typename Texts>
std::string json_array(const Texts& texts) {
  std::string out = "[";
  for (const auto& text : texts) {
    if (out.size() > 1) out += ", ";
    append_json(out, text);
  }
  return out + "]";
}

}  // namespace headrace::base
