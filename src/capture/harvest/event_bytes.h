// The bytes of a file of events, wherever they are.
//
// Files are read piece by piece into memory that is used again, not mapped: one that is cut while it is read would kill
// the reader. Not as a whole either: fresh memory for 96 MB takes longer than all that is done with it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace headrace::capture {

class EventBytes {
 public:
  EventBytes() = default;
  explicit EventBytes(std::span<const std::byte> memory) : memory_(memory.data()), size_(memory.size()) {}
  /// `descriptor` stays the caller's, open as long as this is used.
  EventBytes(int descriptor, uint64_t size) : descriptor_(descriptor), size_(size) {}

  uint64_t size() const { return size_; }

  /// Fills `to` with what is at `offset`; false: not all of it is there, or is there any more.
  bool read(uint64_t offset, std::span<std::byte> to) const;

  /// A value of such a type, as it is there.
  template <typename T>
  bool load(uint64_t offset, T& value) const {
    return read(offset, {reinterpret_cast<std::byte*>(&value), sizeof value});
  }

 private:
  const std::byte* memory_ = nullptr;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

}  // namespace headrace::capture
