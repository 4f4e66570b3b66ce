#pragma once
// From 64-bit ids to row numbers. One thread at a time while it changes; reading is safe in any.

#include <cstdint>
#include <random>
#include <vector>

#include "base/hash.h"

namespace headrace::bindings {

/// Open addressing. Ids come from files that anybody may have made: a random seed keeps chosen ids from colliding.
class IdMap {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  explicit IdMap(uint64_t expected = 0) {
    uint64_t capacity = 16;
    while (capacity < expected * 2) capacity *= 2;
    slots_.resize(capacity);
  }

  /// The row of `id`, or kNone.
  uint32_t find(uint64_t id) const {
    const Slot& slot = slots_[place(id)];
    return slot.row;
  }

  /// The row `id` already has; when it has none, it gets `row`.
  uint32_t insert(uint64_t id, uint32_t row) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    Slot& slot = slots_[place(id)];
    if (slot.row == kNone) {
      slot = {id, row};
      ++size_;
    }
    return slot.row;
  }

  uint32_t size() const { return static_cast<uint32_t>(size_); }

 private:
  struct Slot {
    uint64_t id = 0;
    uint32_t row = kNone;
  };

  // Where `id` is, or the free slot where it would be.
  uint64_t place(uint64_t id) const {
    const uint64_t mask = slots_.size() - 1;
    uint64_t at = base::mix(seed(), id) & mask;
    while (slots_[at].row != kNone && slots_[at].id != id) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.row != kNone) slots_[place(slot.id)] = slot;
    }
  }

  static uint64_t seed() {
    static const uint64_t value = (uint64_t{std::random_device{}()} << 32) | std::random_device{}();
    return value;
  }

  std::vector<Slot> slots_;
  uint64_t size_ = 0;
};

}  // namespace headrace::bindings
