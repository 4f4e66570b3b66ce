// Bytes that are no events, or no longer: nothing crashes, and what is given are events of the chunk's references.

#include <gtest/gtest.h>

#include "events/decode.h"
#include "events/encode.h"
#include "events/event_chunk.h"
#include "events/made_streams.h"
#include "events/test_batch.h"

namespace headrace::events {
namespace {

using base::mix;
using model::Event;

constexpr size_t kCount = 3000;

std::vector<uint8_t> payload_of(const std::vector<Event>& events) {
  EventEncoder encoder;
  OpenRegions open;
  open.enter(7);
  std::vector<uint8_t> payload;
  EXPECT_TRUE(encoder.encode(References(200).batch(events), open, payload).ok());
  return payload;
}

/// Whether it was read as events.
bool read(base::Bytes payload, size_t count, EventDecoder& decoder) {
  const auto chunk = take_apart(payload);
  if (!chunk.ok()) {
    EXPECT_EQ(chunk.code(), base::Code::kCorrupt);
    return false;
  }
  std::vector<Event> events(count);
  const base::Status status = decoder.decode(*chunk, events);
  if (!status.ok()) return false;
  for (const Event& event : events) {
    EXPECT_LT(event.reference(), chunk->references.size());
    EXPECT_LT(static_cast<unsigned>(event.kind()), model::kEventKinds);
  }
  return true;
}

TEST(DamagedEvents, AreRefusedWhereverTheyEnd) {
  const std::vector<uint8_t> payload = payload_of(MadeStream::random(200));
  EventDecoder decoder;
  ASSERT_TRUE(read(payload, 200, decoder));
  for (size_t length = 0; length < payload.size(); ++length)
    EXPECT_FALSE(read(base::Bytes(payload).first(length), 200, decoder)) << length;
  EXPECT_FALSE(read(payload, 199, decoder));
  EXPECT_FALSE(read(payload, 201, decoder));
  EXPECT_FALSE(read(payload, 0, decoder));
  EXPECT_FALSE(read(payload, kMostEvents + 1, decoder));
}

TEST(DamagedEvents, NeverLeadOutOfTheirMemory) {
  EventDecoder decoder;
  for (const auto& events : {MadeStream::s3d(kCount), MadeStream::random(kCount)}) {
    const std::vector<uint8_t> payload = payload_of(events);
    for (uint64_t round = 0; round < 3000; ++round) {
      std::vector<uint8_t> damaged = payload;
      for (uint64_t i = 0; i <= round % 3; ++i) {
        // Half of the damage is at the front, where lengths and counts are.
        const uint64_t noise = mix(round, i), reach = noise % 2 ? damaged.size() : 200;
        damaged[noise / 2 % reach] = static_cast<uint8_t>(noise >> 40);
      }
      (void)read(damaged, kCount, decoder);
    }
    EXPECT_TRUE(read(payload, kCount, decoder)) << "what was read before leaves nothing behind";
  }
}

}  // namespace
}  // namespace headrace::events
