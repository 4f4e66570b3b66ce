// What is decoded is what was encoded, whatever it was.

#include <gtest/gtest.h>

#include <numeric>

#include "events/decode.h"
#include "events/encode.h"
#include "events/event_chunk.h"
#include "events/made_streams.h"
#include "events/test_batch.h"

namespace headrace::events {
namespace {

using base::mix;
using model::Event;
using model::EventKind;

/// Encodes and decodes all of them, a chunk after the other; gives the bytes that took.
size_t check_round_trip(const std::vector<Event>& events, uint32_t references) {
  const References named(references);
  EventEncoder encoder;
  EventDecoder decoder;
  OpenRegions open;
  size_t bytes = 0;
  for (size_t at = 0; at < events.size(); at += kMostEvents) {
    const std::span<const Event> part =
        std::span(events).subspan(at, std::min<size_t>(kMostEvents, events.size() - at));
    std::vector<uint8_t> payload;
    EXPECT_TRUE(encoder.encode(named.batch(part), open, payload).ok());
    bytes += payload.size();
    const auto chunk = take_apart(payload);
    EXPECT_TRUE(chunk.ok()) << chunk.status().message();
    std::vector<Event> decoded(part.size());
    const base::Status status = decoder.decode(*chunk, decoded);
    EXPECT_TRUE(status.ok()) << status.message();
    named.restore(*chunk, decoded);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), decoded.begin()));
  }
  return bytes;
}

TEST(Events, OfProgramsAreKeptInLittleSpace) {
  constexpr size_t kCount = 200'000;
  EXPECT_LT(check_round_trip(MadeStream::s3d(kCount), 200), kCount * 13 / 10);
  EXPECT_LT(check_round_trip(MadeStream::regular(kCount), 200), kCount * 12 / 10);
  EXPECT_LT(check_round_trip(MadeStream::random(kCount), 200), kCount * 32 / 10);
}

/// Any values, times that go back, more signatures than contexts, and runs of the same.
std::vector<Event> any_events(uint64_t seed, size_t count) {
  std::vector<Event> events;
  uint64_t time = mix(seed, 1);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t noise = mix(seed, i + 2);
    const bool wild = noise % 3 == 0;
    time += wild ? mix(noise, 1) : noise % 1000;
    const auto kind = static_cast<EventKind>(noise / 8 % model::kEventKinds);
    events.push_back({time, wild ? mix(noise, 2) : noise % 5, wild ? mix(noise, 3) : noise % 7 * 4096,
                      model::kind_and_reference(kind, static_cast<uint32_t>(noise / 64 % 1000)),
                      wild ? static_cast<uint32_t>(mix(noise, 4)) : 3});
  }
  return events;
}

TEST(Events, OfAnyValuesAreKept) {
  for (uint64_t seed = 0; seed < 20; ++seed) check_round_trip(any_events(seed, 1 + mix(seed, 0) % 3000), 1000);
  check_round_trip(any_events(100, 70'000), 1000);
}

TEST(Events, OfManySignaturesAreKept) {
  std::vector<Event> events;
  for (uint32_t i = 0; i < kMostEvents; ++i)
    events.push_back({i, i, i, model::kind_and_reference(EventKind::kIoBegin, 0), i * 0x9e3779b1u});
  check_round_trip(events, 1);
}

TEST(Events, OfExtremeValuesAreKept) {
  const uint64_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, uint64_t{1} << 63, ~uint64_t{0}};
  std::vector<Event> events;
  for (int round = 0; round < 3; ++round)
    for (const uint64_t time : values)
      for (const uint64_t size : values)
        for (const uint64_t place : values)
          events.push_back({time, size, place, model::kind_and_reference(EventKind::kIoEnd, 0), ~0u});
  check_round_trip(events, 1);
}

TEST(Events, AreRefusedWhereTheyCannotBeKept) {
  const References named(3);
  EventEncoder encoder;
  OpenRegions open;
  std::vector<uint8_t> payload;
  const std::vector<Event> none, many(kMostEvents + 1),
      nowhere{{1, 0, 0, model::kind_and_reference(EventKind::kEnter, 3), 0}};
  for (const auto& events : {none, many, nowhere})
    EXPECT_EQ(encoder.encode(named.batch(events), open, payload).code(), base::Code::kInvalid);
  EXPECT_TRUE(open.references().empty());
}

TEST(Events, SayWhatWasOpenBefore) {
  const References named(9);
  EventEncoder encoder;
  OpenRegions open;
  std::vector<uint8_t> first, second;
  const std::vector<Event> one{{5, 0, 0, model::kind_and_reference(EventKind::kEnter, 8), 0},
                               {6, 0, 0, model::kind_and_reference(EventKind::kIoBegin, 2), 0}};
  const std::vector<Event> two{{9, 0, 0, model::kind_and_reference(EventKind::kIoEnd, 2), 0}};
  ASSERT_TRUE(encoder.encode(named.batch(one), open, first).ok());
  ASSERT_TRUE(encoder.encode(named.batch(two), open, second).ok());
  EXPECT_TRUE(take_apart(first)->open.empty());
  const EventChunk chunk = *take_apart(second);
  ASSERT_EQ(chunk.open.size(), 2u);
  EXPECT_EQ(chunk.references[chunk.open[0]], named.id(8));
  EXPECT_EQ(chunk.references[chunk.open[1]], named.id(2));
  EXPECT_EQ(open.references(), std::vector<uint32_t>{8});
}

}  // namespace
}  // namespace headrace::events
