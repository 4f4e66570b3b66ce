// What is kept for handles of a library, found by their numbers. Bounded: what does not fit is not kept.
//
// A handle has sixteen places where it can be, so a search that finds nothing is as short as another, however many
// handles came and went. Threads put and drop entries of their own; nobody waits for another.
#pragma once
#include <atomic>
#include <cstdint>

#include "capture/recorder/on_demand.h"
#include "capture/recorder/state.h"

namespace headrace::capture {

template <typename Entry, uint32_t kBuckets>
class HandleTable {
  static constexpr uint32_t kPlaces = 8;

 public:
  static constexpr uint32_t kEntries = kBuckets * kPlaces;

  /// The first entry of this handle that `fits`; null: none.
  template <typename Fits>
  HEADRACE_INLINE Entry* find(uint64_t handle, Fits fits) {
    Buckets* buckets = buckets_.there();
    if (!buckets) return nullptr;
    for (const uint32_t number : places_of(handle)) {
      Bucket& bucket = buckets->of[number];
      for (uint32_t i = 0; i < kPlaces; ++i)
        if (bucket.handles[i].load(std::memory_order_acquire) == handle && fits(bucket.entries[i]))
          return &bucket.entries[i];
    }
    return nullptr;
  }

  /// Takes a place, which others see once publish() was called. Null: there is none.
  Entry* take(uint64_t handle) {
    Buckets* buckets = buckets_.get();
    if (!buckets) return nullptr;
    for (const uint32_t number : places_of(handle)) {
      Bucket& bucket = buckets->of[number];
      for (uint32_t i = 0; i < kPlaces; ++i) {
        uint64_t free = 0;
        if (bucket.handles[i].load(std::memory_order_relaxed) == 0 &&
            bucket.handles[i].compare_exchange_strong(free, kTaken, std::memory_order_acq_rel))
          return &bucket.entries[i];
      }
    }
    return nullptr;
  }
  void publish(Entry* entry, uint64_t handle) { place_of(entry).store(handle, std::memory_order_release); }
  /// It is found no more, and its place stays taken.
  void unlist(Entry* entry) { publish(entry, kTaken); }
  void drop(Entry* entry) { publish(entry, 0); }

  uint64_t handle_of(const Entry* entry) { return place_of(entry).load(std::memory_order_relaxed); }

  /// Entries as numbers: 1, 2, ….
  uint32_t number_of(const Entry* entry) const {
    const auto distance =
        static_cast<uint64_t>(reinterpret_cast<const char*>(entry) - reinterpret_cast<const char*>(buckets()));
    const uint64_t bucket = distance / sizeof(Bucket);
    return static_cast<uint32_t>(bucket * kPlaces + static_cast<uint64_t>(entry - buckets()[bucket].entries) + 1);
  }
  Entry* at(uint32_t number) { return &buckets()[(number - 1) / kPlaces].entries[(number - 1) % kPlaces]; }

 private:
  static constexpr uint64_t kTaken = ~uint64_t{0};  // a handle that none has

  struct Bucket {
    std::atomic<uint64_t> handles[kPlaces];  // 0: free
    Entry entries[kPlaces];
  };
  struct Places {
    uint32_t numbers[2];
    const uint32_t* begin() const { return numbers; }
    const uint32_t* end() const { return numbers + 2; }
  };

  static Places places_of(uint64_t handle) {
    const uint64_t mixed = handle * 0x9e3779b97f4a7c15;
    return {{static_cast<uint32_t>(mixed >> 40) % kBuckets, static_cast<uint32_t>(mixed >> 16) % kBuckets}};
  }
  std::atomic<uint64_t>& place_of(const Entry* entry) {
    const uint32_t number = number_of(entry) - 1;
    return buckets()[number / kPlaces].handles[number % kPlaces];
  }

  struct Buckets {
    Bucket of[kBuckets];
  };
  /// There, as somebody has an entry.
  Bucket* buckets() const { return buckets_.there()->of; }

  OnDemand<Buckets> buckets_;
};

}  // namespace headrace::capture
