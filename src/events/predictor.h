#pragma once
// What the events so far say of the next one. Encoder and decoder have one each and keep them alike: what comes as
// predicted needs no bytes but those of its time. Internal to events.
//
// The last three signatures (kind, reference, other) are the context. It predicts the signature that followed it the
// last time, and the mean of the gaps there; a signature predicts its size and place from those it had.

#include <array>
#include <cstdint>
#include <vector>

#include "events/event_chunk.h"
#include "model/event.h"

namespace headrace::events {

struct Context {
  uint16_t signature = 0;
  uint16_t used = 0;
  uint32_t mean_gap = 0;  // ticks
};

struct Signature {
  uint64_t key = 0;
  uint64_t size = 0;
  uint64_t place = 0;
  uint64_t stride = 0;  // between the last two places
  bool steady = true;   // the stride came twice, or nothing is known yet
};

constexpr uint64_t key_of(const model::Event& event) { return uint64_t{event.kind_and_reference} << 32 | event.other; }
constexpr model::EventKind kind_of_key(uint64_t key) { return static_cast<model::EventKind>(key >> 56); }

class Predictor {
 public:
  Context& context() { return contexts_[hash_]; }
  Signature& signature(uint32_t number) { return signatures_[number]; }
  uint32_t signatures() const { return count_; }

  uint32_t add(uint64_t key) {
    signatures_[count_] = {key, 0, 0, 0, true};
    return count_++;
  }

  /// An operation ends with the bytes with which the last one began; others are as large as the last of their kind.
  uint64_t size(const Signature& signature) const {
    return kind_of_key(signature.key) == model::EventKind::kIoEnd ? size_begun_ : signature.size;
  }

  /// Files are used in strides, or each operation where the last one ended.
  static uint64_t place(const Signature& signature) {
    return signature.place + (signature.steady ? signature.stride : signature.size);
  }

  /// Takes the values of an event of this signature.
  void learn(Signature& signature, uint64_t size, uint64_t place) {
    const model::EventKind kind = kind_of_key(signature.key);
    const uint64_t stride = place - signature.place;
    const bool is_begin = kind == model::EventKind::kIoBegin;
    signature.steady = stride == signature.stride || !is_begin;
    signature.stride = stride;
    signature.size = size;
    signature.place = place;
    if (is_begin) size_begun_ = size;
  }

  /// Ticks to the next event, if `context` has met `signature`.
  static uint64_t gap(const Context& context, uint32_t signature) {
    return context.used && context.signature == signature ? context.mean_gap : 0;
  }

  /// Takes the gap before an event of `signature`, and makes it part of the next context.
  void follow(Context& context, uint32_t signature, uint64_t gap) {
    const auto known = static_cast<uint32_t>(gap < kLongestGap ? gap : kLongestGap);
    if (context.used && context.signature == signature) {
      const int32_t distance = static_cast<int32_t>(known) - static_cast<int32_t>(context.mean_gap);
      context.mean_gap = static_cast<uint32_t>(static_cast<int32_t>(context.mean_gap) + (distance >> 3));
    } else {
      context = {static_cast<uint16_t>(signature), 1, known};
    }
    history_ = (history_ << 10 | ((signature + 1) & 0x3ff)) & 0x3fffffff;
    hash_ = history_ * 0x9e3779b1u >> 20;
  }

  /// As it was made, with room for the signatures of so many events.
  void forget(size_t events) {
    if (signatures_.size() < events) signatures_.resize(events);
    contexts_.fill({});
    count_ = history_ = hash_ = 0;
    size_begun_ = 0;
  }

 private:
  static constexpr uint64_t kLongestGap = 0x7fffffff;

  std::array<Context, 4096> contexts_{};
  std::vector<Signature> signatures_;
  uint32_t count_ = 0;
  uint32_t history_ = 0;
  uint32_t hash_ = 0;
  uint64_t size_begun_ = 0;
};

}  // namespace headrace::events
