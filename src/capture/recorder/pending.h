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
  kRename,
  kUnlink,
  kMakeDirectory,
  kLink,
  kSymbolicLink,
  kNewDescriptor,
  kChangeFiles,
  kUnseen,
  kNothing,
  kOther
};
inline bool moves_bytes(Purpose purpose) { return purpose <= Purpose::kWrite; }
/// Whether the operation is about the file that its entry names.
inline bool is_on_file(Purpose purpose) { return purpose <= Purpose::kAdvise; }
inline bool changes_names(Purpose purpose) { return purpose >= Purpose::kRename && purpose <= Purpose::kSymbolicLink; }
/// Whether a file, or the totals, lack it when its end is not seen.
inline bool counts_somewhere(Purpose purpose) { return purpose < Purpose::kNewDescriptor; }
/// Whether its result is 0 unless it failed.
inline bool gives_zero(Purpose purpose) {
  return (purpose >= Purpose::kSync && purpose <= Purpose::kAdvise) || purpose == Purpose::kClose ||
         changes_names(purpose) || purpose == Purpose::kNothing;
}

struct PendingOperation {
  uint64_t key;      // user_data, or the address of the request
  uint64_t start;    // ticks; 0: submitted while nothing was recorded
  uint64_t offset;   // kAtPosition: wherever the description is
  uint64_t tag;      // of its file, of which it has a reference where that is tracked
  uint64_t address;  // of its memory, or of a copy of its paths; 0: not looked at
  uint64_t bytes;    // asked for; kAsMoved: not looked at. Of an operation on two paths: the second one's directory
  uint64_t asked;    // what a result cannot exceed; kAsMoved: not known
  uint64_t group;    // of those that were submitted at one place
  int32_t fd;
  uint32_t flags;  // of an open
  Fn function;
  Purpose purpose;
  bool doubtful : 1;     // its completion may have gone by unseen
  bool silent : 1;       // it has a completion only when it fails
  bool follows : 1;      // it begins when the one that was submitted before it is over
  bool mixed : 1;        // it or one before it of its key is unlike the others
  bool unsure_file : 1;  // the completion of another file's may have been taken for its own, or the reverse
  bool unsure_kind : 1;
  bool fixed : 1;   // its file is named by a number in the ring's own table
  uint32_t serial;  // in the order of submission
  uint32_t next;    // number of the one behind it
};
/// Whether it has a share of the time in which anything was under way. Others mostly wait.
inline bool takes_time(const PendingOperation& p) { return counts_somewhere(p.purpose) && !p.silent; }
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
  bool is_full() const { return free_ == 0 && used_ == capacity_; }

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
  /// The newest of this key; null: none.
  PendingOperation* newest(uint64_t key) {
    if (capacity_ == 0) return nullptr;
    const uint32_t last = bucket_of(key).last;
    if (last != 0 && entries_[last - 1].key == key) return &entries_[last - 1];
    PendingOperation* found = nullptr;
    each_of(key, [&](PendingOperation* p) { return found = p, true; });
    return found;
  }
  /// Calls `see` with each of this key, the oldest first, until it returns false.
  template <typename See>
  void each_of(uint64_t key, See see) {
    if (capacity_ == 0) return;
    for (uint32_t i = bucket_of(key).first; i != 0; i = entries_[i - 1].next)
      if (entries_[i - 1].key == key && !see(&entries_[i - 1])) return;
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
