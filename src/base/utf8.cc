#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace headrace::base {
namespace {

// Bytes of the well-formed sequence that starts at `at`; 0: there is none (Unicode 15, table 3-7).
size_t sequence_length(std::string_view bytes, size_t at) {
  const auto byte = [&](size_t i) -> uint8_t {
    return at + i < bytes.size() ? static_cast<uint8_t>(bytes[at + i]) : 0;
  };
  const auto tail = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const uint8_t lead = byte(0), second = byte(1);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return tail(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const uint8_t low = lead == 0xe0 ? 0xa0 : 0x80, high = lead == 0xed ? 0x9f : 0xbf;
    return second >= low && second <= high && tail(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const uint8_t low = lead == 0xf0 ? 0x90 : 0x80, high = lead == 0xf4 ? 0x8f : 0xbf;
    return second >= low && second <= high && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

// First position that is not ASCII; eight bytes at a time because nearly all log text is ASCII.
size_t ascii_prefix(std::string_view bytes, size_t at) {
  for (uint64_t word; at + 8 <= bytes.size(); at += 8) {
    std::memcpy(&word, bytes.data() + at, 8);
    if (word & 0x8080808080808080u) break;
  }
  while (at < bytes.size() && static_cast<uint8_t>(bytes[at]) < 0x80) ++at;
  return at;
}

}  // namespace

bool is_ascii(std::string_view bytes) { return ascii_prefix(bytes, 0) == bytes.size(); }

bool is_utf8(std::string_view bytes) {
  for (size_t at = ascii_prefix(bytes, 0); at < bytes.size(); at = ascii_prefix(bytes, at)) {
    const size_t length = sequence_length(bytes, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

void append_escaped(std::string_view bytes, std::string& to) {
  static constexpr char kDigits[] = "0123456789abcdef";
  for (size_t at = 0; at < bytes.size();) {
    const size_t length = sequence_length(bytes, at);
    if (length != 0) {
      to.append(bytes.substr(at, length));
      at += length;
      continue;
    }
    const auto byte = static_cast<uint8_t>(bytes[at++]);
    to += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
  }
}

}  // namespace headrace::base
