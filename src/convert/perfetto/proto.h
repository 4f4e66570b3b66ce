#pragma once
// Messages in the wire format of Protocol Buffers (https://protobuf.dev/programming-guides/encoding), written. Internal
// to perfetto.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace headrace::convert::perfetto {

class Message {
 public:
  void number(uint32_t field, uint64_t value) {
    varint(uint64_t{field} << 3);
    varint(value);
  }
  void fixed(uint32_t field, uint64_t value) {
    varint(uint64_t{field} << 3 | 1);
    char bytes[sizeof value];
    for (char& byte : bytes) {
      byte = static_cast<char>(value);
      value >>= 8;
    }
    bytes_.append(bytes, sizeof bytes);
  }
  void real(uint32_t field, double value) { fixed(field, std::bit_cast<uint64_t>(value)); }
  void text(uint32_t field, std::string_view bytes) {
    varint(uint64_t{field} << 3 | 2);
    varint(bytes.size());
    bytes_.append(bytes);
  }
  void message(uint32_t field, const Message& other) { text(field, other.bytes_); }

  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(uint64_t value) {
    char bytes[10];
    size_t count = 0;
    for (; value >= 0x80; value >>= 7) bytes[count++] = static_cast<char>(value | 0x80);
    bytes[count++] = static_cast<char>(value);
    bytes_.append(bytes, count);
  }
  std::string bytes_;
};

}  // namespace headrace::convert::perfetto
