#include "events/encode.h"

#include <algorithm>
#include <string>

#include "base/bytes.h"
#include "base/clones.h"
#include "base/crc32c.h"
#include "base/varint.h"
#include "events/bits.h"
#include "events/columns.h"
#include "events/event_chunk.h"
#include "events/predictor.h"
#include "events/summary.h"
#include "format/codec.h"

namespace headrace::events {

using base::put_varint;
using base::zigzag;
using model::Event;

namespace {

constexpr uint32_t kPlaces = 2 * kMostEvents;  // of the table of signatures: a power of two
constexpr uint16_t kFree = 0xffff;
constexpr uint32_t kNone = ~uint32_t{0};
constexpr size_t kLeastToCompress = 64;
constexpr size_t kLongestToken = 2 * base::kMaxVarintBytes + 1;

/// Finds signatures by their key.
class SignatureTable {
 public:
  /// The number of this signature, which is added if it is new.
  uint32_t find(uint64_t key, Predictor& predictor) {
    for (uint32_t at = static_cast<uint32_t>(key * 0x9e3779b97f4a7c15u >> 48);; at = (at + 1) % kPlaces) {
      if (numbers_[at] == kFree) {
        numbers_[at] = static_cast<uint16_t>(predictor.signatures());
        return predictor.add(key);
      }
      if (predictor.signature(numbers_[at]).key == key) return numbers_[at];
    }
  }
  void forget() { std::fill(numbers_.begin(), numbers_.end(), kFree); }

 private:
  static_assert(kPlaces == 1u << 16);
  std::vector<uint16_t> numbers_ = std::vector<uint16_t>(kPlaces, kFree);
};

}  // namespace

struct EventEncoder::State {
  Predictor predictor;
  SignatureTable table;
  format::Compressor compressor;
  std::vector<uint8_t> columns[kColumns];
  uint8_t* ends[kColumns];

  State() {
    columns[kTokens].resize(kMostEvents * kLongestToken);
    columns[kSignatures].resize(kMostEvents * sizeof(uint64_t));
    columns[kSizes].resize(kMostEvents * size_t{base::kMaxVarintBytes});
    columns[kPlaceLengths].resize(kMostEvents);
    columns[kGapLengths].resize(kMostEvents);
    columns[kBits].resize((2 * kMostEvents + 1) * sizeof(uint64_t));
  }

  uint64_t latest = 0;  // of the times of the events

  void fill(std::span<const Event> events);
  void add_miss(const Event& event, uint32_t number, bool is_new, uint8_t wrong, uint64_t place, BitWriter& bits);
  base::Status store(const EventBatch& batch, OpenRegions& open, std::vector<uint8_t>& to);
  bool renumber(const EventBatch& batch, const std::vector<uint32_t>& open);
  uint32_t number_of(uint32_t reference);
  void store_columns(std::vector<uint8_t>& to);

  // References of this chunk alone.
  std::vector<uint32_t> used;
  std::vector<uint32_t> numbers;  // by reference of the batch, kNone unless used
};

void EventEncoder::State::add_miss(const Event& event, uint32_t number, bool is_new, uint8_t wrong, uint64_t place,
                                   BitWriter& bits) {
  *ends[kTokens]++ = wrong;
  if (wrong & kOtherSignature) ends[kTokens] = put_varint(ends[kTokens], number);
  if (is_new) {
    const uint64_t key = key_of(event);
    std::memcpy(ends[kSignatures], &key, sizeof key);
    ends[kSignatures] += sizeof key;
  }
  if (wrong & kOtherSize) ends[kSizes] = put_varint(ends[kSizes], event.size);
  if (wrong & kOtherPlace) {
    const uint64_t residue = zigzag(static_cast<int64_t>(event.place - place));
    const unsigned length = length_of(residue);
    *ends[kPlaceLengths]++ = static_cast<uint8_t>(length);
    bits.put(residue, length);
  }
}

HEADRACE_CLONES void EventEncoder::State::fill(std::span<const Event> events) {
  predictor.forget(events.size());
  table.forget();
  for (unsigned i = 0; i < kColumns; ++i) ends[i] = columns[i].data();
  BitWriter bits(ends[kBits]);
  uint64_t time = events.front().time;
  uint32_t run = 0;
  uint8_t* gap_lengths = ends[kGapLengths];
  latest = time;
  for (const Event& event : events) {
    Context& context = predictor.context();
    const uint64_t key = key_of(event);
    uint32_t number = context.signature;
    const uint32_t known = predictor.signatures();
    uint8_t wrong = 0;
    if (!context.used || predictor.signature(number).key != key) [[unlikely]] {
      number = table.find(key, predictor);
      wrong = kOtherSignature;
    }
    Signature& signature = predictor.signature(number);
    const uint64_t place = Predictor::place(signature);
    if (event.size != predictor.size(signature)) wrong |= kOtherSize;
    if (event.place != place) wrong |= kOtherPlace;
    if (wrong == 0) [[likely]] {
      run++;
    } else {
      ends[kTokens] = put_varint(ends[kTokens], run);
      add_miss(event, number, predictor.signatures() != known, wrong, place, bits);
      run = 0;
    }
    predictor.learn(signature, event.size, event.place);
    const uint64_t gap = event.time - time;
    time = event.time;
    latest = std::max(latest, time);
    const uint64_t residue = zigzag(static_cast<int64_t>(gap - Predictor::gap(context, number)));
    const unsigned length = length_of(residue);
    *gap_lengths++ = static_cast<uint8_t>(length);
    bits.put(residue, length);
    predictor.follow(context, number, gap);
  }
  ends[kGapLengths] = gap_lengths;
  ends[kBits] = bits.finish();
}

/// In this chunk; the first time it comes it gets one.
uint32_t EventEncoder::State::number_of(uint32_t reference) {
  if (numbers[reference] == kNone) {
    numbers[reference] = static_cast<uint32_t>(used.size());
    used.push_back(reference);
  }
  return numbers[reference];
}

/// Gives numbers to what is used here and writes them into the signatures, which are few. False: one is in no list.
bool EventEncoder::State::renumber(const EventBatch& batch, const std::vector<uint32_t>& open) {
  numbers.assign(batch.references.size(), kNone);
  used.clear();
  for (const uint32_t reference : open)
    if (reference >= batch.references.size()) return false;
  for (const uint32_t reference : open) number_of(reference);
  for (uint8_t* at = columns[kSignatures].data(); at < ends[kSignatures]; at += sizeof(uint64_t)) {
    const auto key = base::load<uint64_t>(at);
    const auto kind = static_cast<model::EventKind>(key >> 56);
    const uint32_t reference = static_cast<uint32_t>(key >> 32) & (model::kMostReferences - 1);
    if (reference >= batch.references.size() || key >> 56 >= model::kEventKinds) return false;
    const uint64_t changed = uint64_t{model::kind_and_reference(kind, number_of(reference))} << 32 | (key & 0xffffffff);
    std::memcpy(at, &changed, sizeof changed);
  }
  return true;
}

base::Status EventEncoder::State::store(const EventBatch& batch, OpenRegions& open, std::vector<uint8_t>& to) {
  if (batch.tick_shift > kLongestTick || batch.classes.size() != batch.references.size() ||
      (!batch.above.empty() && batch.above.size() != batch.references.size()) || !renumber(batch, open.references()))
    return {base::Code::kInvalid, "events whose references lead nowhere cannot be kept"};
  base::ByteWriter writer(to);
  const size_t head = to.size();
  writer.u8(batch.tick_shift);
  writer.u32(static_cast<uint32_t>(used.size()));
  for (const uint32_t reference : used) writer.u64(batch.references[reference]);
  for (const uint32_t reference : used) writer.u8(static_cast<uint8_t>(batch.classes[reference]));
  writer.u32(static_cast<uint32_t>(open.references().size()));
  for (const uint32_t reference : open.references()) writer.u32(numbers[reference]);
  writer.u64(batch.events.front().time);
  const Summary summary = summarize(batch.events, latest, batch.classes, open, batch.above);
  writer.u64(summary.end);
  write_summary(summary, to);
  writer.u32(base::crc32c(base::Bytes(to).subspan(head)));
  store_columns(to);
  return {};
}

/// Each as {u8 codec, u32 length raw, u32 length stored, bytes}; bits, of which nothing can be saved, as they are.
void EventEncoder::State::store_columns(std::vector<uint8_t>& to) {
  base::ByteWriter writer(to);
  for (unsigned i = 0; i < kColumns; ++i) {
    const base::Bytes raw{columns[i].data(), static_cast<size_t>(ends[i] - columns[i].data())};
    const size_t head = writer.size();
    writer.u8(0);
    writer.u32(static_cast<uint32_t>(raw.size()));
    writer.u32(0);
    const size_t begin = writer.size();
    if (i == kBits || raw.size() < kLeastToCompress)
      writer.append(raw);
    else {
      const auto repeats = i == kGapLengths ? format::Repeats::kHardly : format::Repeats::kOften;
      const format::Codec codec = compressor.append(raw, to, repeats);
      *writer.at(head) = static_cast<uint8_t>(codec);
    }
    writer.set_u32(head + 5, static_cast<uint32_t>(writer.size() - begin));
  }
}

EventEncoder::EventEncoder() : state_(std::make_unique<State>()) {}
EventEncoder::~EventEncoder() = default;
EventEncoder::EventEncoder(EventEncoder&&) noexcept = default;
EventEncoder& EventEncoder::operator=(EventEncoder&&) noexcept = default;

base::Status EventEncoder::encode(const EventBatch& batch, OpenRegions& open, std::vector<uint8_t>& to) {
  if (batch.events.empty() || batch.events.size() > kMostEvents)
    return {base::Code::kInvalid, std::to_string(batch.events.size()) + " events for a chunk, which holds 1 to 32768"};
  state_->fill(batch.events);
  return state_->store(batch, open, to);
}

}  // namespace headrace::events
