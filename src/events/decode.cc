#include "events/decode.h"

#include <algorithm>

#include "base/varint.h"
#include "events/bits.h"
#include "events/columns.h"
#include "events/predictor.h"
#include "format/codec.h"

namespace headrace::events {

using base::ByteReader;
using base::Bytes;
using base::Code;
using base::Status;
using base::unzigzag;
using model::Event;

namespace {

Status corrupt(const char* what) { return {Code::kCorrupt, std::string("events: ") + what}; }

/// The longest that a column of `events` events can be.
size_t longest(unsigned column, size_t events) {
  constexpr size_t kEach[kColumns] = {base::kMaxVarintBytes * 2 + 1, 8, base::kMaxVarintBytes, 1, 1, 16};
  return kEach[column] * events + (column == kTokens ? base::kMaxVarintBytes : 0);
}

/// How many bits numbers of these lengths are stored in; more than the bytes can have if a length is impossible.
uint64_t bits_of(Bytes lengths) {
  uint64_t sum = 0;
  uint8_t most = 0;
  for (const uint8_t length : lengths) {
    sum += length - (length != 0);
    most = std::max(most, length);
  }
  return most > 64 ? ~uint64_t{0} : sum;
}

}  // namespace

struct EventDecoder::State {
  Predictor predictor;
  format::Decompressor decompressor;
  std::vector<uint8_t> columns[kColumns];
  size_t lengths[kColumns];

  Bytes column(unsigned which) const { return {columns[which].data(), lengths[which]}; }
  Status load(ByteReader& reader, size_t events);
  Status load_column(ByteReader& reader, unsigned which, size_t events);
  Status check(size_t events, uint32_t references) const;
  Status run(uint64_t time, std::span<Event> events);
};

Status EventDecoder::State::load_column(ByteReader& reader, unsigned which, size_t events) {
  const auto codec = static_cast<format::Codec>(reader.u8());
  const uint32_t length = reader.u32();
  const Bytes stored = reader.take(reader.u32());
  if (!reader.ok()) return corrupt("a column ends early");
  if (length > longest(which, events)) return corrupt("a column is longer than its events can need");
  columns[which].resize(std::max(columns[which].size(), length + kBitsPadding));
  lengths[which] = length;
  return decompressor.run(codec, stored, {columns[which].data(), length});
}

Status EventDecoder::State::load(ByteReader& reader, size_t events) {
  for (unsigned i = 0; i < kColumns; ++i) HEADRACE_TRY(load_column(reader, i, events));
  return reader.left() == 0 ? Status() : corrupt("something follows the columns");
}

/// What can be checked before: then the loop over events has less to look at.
Status EventDecoder::State::check(size_t events, uint32_t references) const {
  if (lengths[kGapLengths] != events) return corrupt("there is not one gap an event");
  const uint64_t gaps = bits_of(column(kGapLengths)), places = bits_of(column(kPlaceLengths));
  if (gaps > 64 * uint64_t{kMostEvents} || places > 64 * uint64_t{kMostEvents} ||
      (gaps + places + 7) / 8 != lengths[kBits])
    return corrupt("there are not as many bits as the lengths say");
  if (lengths[kSignatures] % sizeof(uint64_t) != 0) return corrupt("a signature is cut");
  for (size_t at = 0; at < lengths[kSignatures]; at += sizeof(uint64_t)) {
    const auto key = base::load<uint64_t>(columns[kSignatures].data() + at);
    if ((key >> 32 & (model::kMostReferences - 1)) >= references) return corrupt("a reference leads nowhere");
    if (key >> 56 >= model::kEventKinds) return corrupt("there is an event of no known kind");
  }
  return {};
}

Status EventDecoder::State::run(uint64_t time, std::span<Event> events) {
  predictor.forget(events.size());
  ByteReader tokens(column(kTokens)), keys(column(kSignatures)), sizes(column(kSizes)), places(column(kPlaceLengths));
  BitReader bits(columns[kBits].data());
  const uint8_t* gap_length = columns[kGapLengths].data();
  uint64_t run = 0;
  bool more = tokens.left() > 0;
  if (more && !base::read_varint(tokens, run)) return corrupt("a run has no length");
  for (Event& event : events) {
    Context& context = predictor.context();
    uint32_t number = context.signature;
    uint8_t wrong = 0;
    if (run > 0 || !more) [[likely]] {
      if (!context.used) [[unlikely]]
        return corrupt("an event is said to be known, and is not");
      run -= more;
    } else {
      wrong = tokens.u8();
      if (wrong == 0 || wrong > (kOtherSignature | kOtherSize | kOtherPlace)) return corrupt("a token is unknown");
      if (wrong & kOtherSignature) {
        uint64_t named = 0;
        if (!base::read_varint(tokens, named) || named > predictor.signatures())
          return corrupt("there is no such signature");
        number = static_cast<uint32_t>(named);
        if (number == predictor.signatures()) predictor.add(keys.u64());
      } else if (!context.used) {
        return corrupt("an event is said to be known, and is not");
      }
    }
    Signature& signature = predictor.signature(number);
    uint64_t size = predictor.size(signature), place = Predictor::place(signature);
    if (wrong != 0) [[unlikely]] {
      if (wrong & kOtherSize && !base::read_varint(sizes, size)) return corrupt("a size is missing");
      if (wrong & kOtherPlace) place += static_cast<uint64_t>(unzigzag(bits.take(places.u8())));
      more = tokens.left() > 0;
      if (more && !base::read_varint(tokens, run)) return corrupt("a run has no length");
      if (!keys.ok() || !places.ok()) return corrupt("a column is too short");
    }
    predictor.learn(signature, size, place);
    const uint64_t gap = Predictor::gap(context, number) + static_cast<uint64_t>(unzigzag(bits.take(*gap_length++)));
    time += gap;
    event.time = time;
    event.size = size;
    event.place = place;
    event.kind_and_reference = static_cast<uint32_t>(signature.key >> 32);
    event.other = static_cast<uint32_t>(signature.key);
    predictor.follow(context, number, gap);
  }
  const bool used = !more && keys.left() == 0 && sizes.left() == 0 && places.left() == 0;
  return used ? Status() : corrupt("a column has more than the events need");
}

EventDecoder::EventDecoder() = default;
EventDecoder::~EventDecoder() = default;
EventDecoder::EventDecoder(EventDecoder&&) noexcept = default;
EventDecoder& EventDecoder::operator=(EventDecoder&&) noexcept = default;

Status EventDecoder::decode(const EventChunk& chunk, std::span<Event> events) {
  if (events.empty() || events.size() > kMostEvents) return {Code::kLimit, "events: a chunk holds 1 to 32768"};
  if (state_ == nullptr) state_ = std::make_unique<State>();  // many readers decode nothing
  ByteReader reader(chunk.columns);
  HEADRACE_TRY(state_->load(reader, events.size()));
  HEADRACE_TRY(state_->check(events.size(), static_cast<uint32_t>(chunk.references.size())));
  return state_->run(chunk.summary.begin, events);
}

}  // namespace headrace::events
