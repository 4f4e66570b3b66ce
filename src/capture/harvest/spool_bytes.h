// The bytes of one spool behind checks: nothing is read outside them, and no byte is counted twice.
//
// One thread at a time. Loads copy, so that misaligned or overlapping blocks of a damaged spool are harmless.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace headrace::capture {

class SpoolBytes {
 public:
  /// `bytes` must outlive this; repairs change them.
  explicit SpoolBytes(std::span<std::byte> bytes) : bytes_(bytes), claimed_(bytes.size() / kGrain / 64 + 1) {}

  uint64_t size() const { return bytes_.size(); }

  template <typename T>
  bool load(uint64_t offset, T* out) const {
    if (!inside(offset, sizeof(T))) return false;
    std::memcpy(static_cast<void*>(out), bytes_.data() + offset, sizeof(T));
    return true;
  }

  /// Overwrites part of the spool; never its header.
  bool store(uint64_t offset, const void* data, uint64_t length, uint64_t header_bytes);

  /// Loads a block and takes possession of it: false if any byte of it was claimed before, as in a cycle or where two
  /// chains meet.
  template <typename T>
  bool claim(uint64_t offset, T* out, uint64_t extra = 0) {
    return load(offset, out) && take(offset, sizeof(T) + extra);
  }
  bool take(uint64_t offset, uint64_t length);

  /// `length` bytes of text; empty view and false when they do not lie inside.
  bool text(uint64_t offset, uint64_t length, std::string_view* out) const;
  /// The text of a Name; offset 0 is the empty name.
  bool name(uint32_t offset, std::string_view* out) const;

 private:
  static constexpr uint64_t kGrain = 8;
  bool inside(uint64_t offset, uint64_t length) const {
    return offset % kGrain == 0 && offset <= bytes_.size() && length <= bytes_.size() - offset;
  }

  std::span<std::byte> bytes_;
  std::vector<uint64_t> claimed_;  // a bit for each grain
};

}  // namespace headrace::capture
