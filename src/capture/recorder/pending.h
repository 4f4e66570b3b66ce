// Operations that were submitted and not yet seen to be over, found by what their completion names them with. Equal
// names are answered in the order of submission.
#pragma once
#include <cstddef>
#include <cstdint>

#include "capture/recorder/state.h"

namespace headrace::capture {

/// What an operation does.
enum class Purpose : uint8_t {
  kRead,
  kWrite,
  kSync,
  kTruncate,
  kAllocate,
  kAdvise,
  kOpen,
  kClose,
  kNewDescriptor,
  kChangeFiles,
  kUnseen,
  kOther
};

struct PendingOperation {
  uint64_t key;      // user_data, or the address of the request
  uint64_t start;    // ticks; 0: submitted while nothing was recorded
  uint64_t offset;   // kAtPosition: wherever the description is
  uint64_t tag;      // of its file, of which it has a reference where that is tracked
  uint64_t address;  // of its memory; 0: not looked at
  uint64_t bytes;    // asked for; kAsMoved: not looked at
  uint64_t group;    // of those that were submitted at one place
  int32_t fd;
  uint32_t flags;  // of an open
  Fn function;
  Purpose purpose;
  bool doubtful;  // its completion may have gone by unseen
  bool fixed;     // its file is named by a number in the ring's own table
  uint32_t next;  // number of the one behind it
};
inline constexpr uint64_t kAtPosition = ~uint64_t{0};

/// Lies in memory of its user, which makes what happens to it one after the other. All zeros: without room.
class PendingTable {
 public:
  /// Bytes for `capacity` operations.
  static size_t bytes(uint32_t capacity) { return capacity * (sizeof(PendingOperation) + sizeof(Bucket)); }
  /// `memory`: so many bytes of zeros. `capacity`: a power of two.
  void use(void* memory, uint32_t capacity) {
    entries_ = static_cast<PendingOperation*>(memory);
    buckets_ = reinterpret_cast<Bucket*>(entries_ + capacity);
    capacity_ = capacity;
  }
  bool has_room() const { return capacity_ != 0; }

  /// A place for an operation with this key, behind those of the same; null: all are taken.
  PendingOperation* add(uint64_t key) {
    uint32_t number = free_;
    if (number != 0)
      free_ = entries_[number - 1].next;
    else if (used_ < capacity_)
      number = ++used_;
    else
      return nullptr;
    PendingOperation& made = entries_[number - 1];
    made = {};
    made.key = key;
    Bucket& bucket = bucket_of(key);
    (bucket.last ? entries_[bucket.last - 1].next : bucket.first) = number;
    bucket.last = number;
    return &made;
  }
  /// The oldest of this key; null: none.
  PendingOperation* find(uint64_t key) {
    if (capacity_ == 0) return nullptr;
    for (uint32_t i = bucket_of(key).first; i != 0; i = entries_[i - 1].next)
      if (entries_[i - 1].key == key) return &entries_[i - 1];
    return nullptr;
  }
  void remove(PendingOperation* operation) {
    Bucket& bucket = bucket_of(operation->key);
    const auto number = static_cast<uint32_t>(operation - entries_) + 1;
    uint32_t before = 0;
    for (uint32_t i = bucket.first; i != number; i = entries_[i - 1].next) before = i;
    (before ? entries_[before - 1].next : bucket.first) = operation->next;
    if (bucket.last == number) bucket.last = before;
    operation->next = free_;
    operation->function = Fn::kCount;  // free
    free_ = number;
  }
  /// Calls `see` with each; it may remove that one.
  template <typename See>
  void each(See see) {
    for (uint32_t i = 0; i < used_; ++i)
      if (entries_[i].function != Fn::kCount) see(&entries_[i]);
  }

 private:
  struct Bucket {
    uint32_t first, last;  // numbers, from 1
  };
  Bucket& bucket_of(uint64_t key) { return buckets_[(key * 0x9e3779b97f4a7c15 >> 32) & (capacity_ - 1)]; }

  PendingOperation* entries_;
  Bucket* buckets_;
  uint32_t capacity_, used_, free_;
};

}  // namespace headrace::capture
