#pragma once
// Bounds-checked little-endian reading and writing of byte sequences; every parser of stored bytes uses them.
//
// A ByteReader that is asked for more than is left fails once and for all: it gives zeros and empty spans and ok()
// stays false. So a parser may read a group of fields and check once, before it uses any of them.
// Values only, no globals: safe in any thread.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace headrace::base {

static_assert(std::endian::native == std::endian::little, "stored bytes are little-endian; add swaps for this machine");

using Bytes = std::span<const uint8_t>;

inline Bytes as_bytes(std::string_view text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }
inline std::string_view as_text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

template <std::integral T>
T load(const uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : bytes_(bytes) {}

  uint8_t u8() { return number<uint8_t>(); }
  uint16_t u16() { return number<uint16_t>(); }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }

  /// The next `count` bytes, a view into what is read; empty when fewer are left.
  Bytes take(uint64_t count) {
    if (!ok_ || count > left()) {
      ok_ = false;
      return {};
    }
    const Bytes taken = bytes_.subspan(position_, static_cast<size_t>(count));
    position_ += static_cast<size_t>(count);
    return taken;
  }

  bool ok() const { return ok_; }
  size_t position() const { return position_; }
  size_t left() const { return bytes_.size() - position_; }

 private:
  template <std::integral T>
  T number() {
    const Bytes taken = take(sizeof(T));
    return taken.empty() ? T{0} : load<T>(taken.data());
  }

  Bytes bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

/// Appends to a byte vector, which must outlive it.
class ByteWriter {
 public:
  explicit ByteWriter(std::vector<uint8_t>& bytes) : bytes_(bytes) {}

  void u8(uint8_t value) { bytes_.push_back(value); }
  void u16(uint16_t value) { number(value); }
  void u32(uint32_t value) { number(value); }
  void u64(uint64_t value) { number(value); }
  void append(Bytes bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  /// Room for `count` bytes that the caller fills before the next append.
  uint8_t* extend(size_t count) {
    bytes_.resize(bytes_.size() + count);
    return bytes_.data() + bytes_.size() - count;
  }

  /// A byte written earlier; valid until the next append.
  uint8_t* at(size_t position) { return bytes_.data() + position; }
  /// Overwrites four bytes written earlier, for a length known only afterwards.
  void set_u32(size_t position, uint32_t value) { std::memcpy(bytes_.data() + position, &value, sizeof value); }

  size_t size() const { return bytes_.size(); }

 private:
  template <std::integral T>
  void number(T value) {
    std::memcpy(extend(sizeof value), &value, sizeof value);
  }

  std::vector<uint8_t>& bytes_;
};

}  // namespace headrace::base
