#pragma once
// What the references of events in tests stand for.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "events/encode.h"
#include "events/event_chunk.h"

namespace headrace::events {

class References {
 public:
  explicit References(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      ids_.push_back(base::mix(77, i));
      classes_.push_back(static_cast<model::TimeClass>(i % model::kTimeClasses));
    }
  }

  uint64_t id(uint32_t reference) const { return ids_[reference]; }
  const std::vector<model::TimeClass>& classes() const { return classes_; }
  EventBatch batch(std::span<const model::Event> events) const { return {events, ids_, classes_, 4}; }

  /// Makes the references of decoded events those that were encoded.
  void restore(const EventChunk& chunk, std::vector<model::Event>& events) const {
    std::vector<uint32_t> original;
    for (const uint64_t each : chunk.references)
      original.push_back(static_cast<uint32_t>(std::find(ids_.begin(), ids_.end(), each) - ids_.begin()));
    for (model::Event& event : events)
      event.kind_and_reference = model::kind_and_reference(event.kind(), original[event.reference()]);
  }

 private:
  std::vector<uint64_t> ids_;
  std::vector<model::TimeClass> classes_;
};

}  // namespace headrace::events
