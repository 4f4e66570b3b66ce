#include "capture/packed_event.h"

#include <gtest/gtest.h>

#include "base/hash.h"

namespace headrace::capture {
namespace {

bool same(const RawEvent& a, const RawEvent& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// Is read as it was written, in so many places.
void expect(const RawEvent& event, uint64_t base, uint32_t places) {
  PackedEvent packed[2] = {};
  EXPECT_EQ(pack(event, base, packed), places);
  EXPECT_EQ(is_whole(packed[0]), places == 2);
  EXPECT_TRUE(same(unpack(packed, base), event));
}

constexpr uint64_t k32 = uint64_t{1} << 32, kNow = uint64_t{1} << 50;
constexpr RawEvent kCommon = {kNow, kNow + 900, 4096, 100, 90, 7, 12, RawKind::kWrite, 5};

TEST(PackedEvent, TakesOnePlaceWhereItsValuesAreUsual) {
  RawEvent event = kCommon;
  expect(event, kNow, 1);
  expect(event, kNow + 1'000'000, 1);  // a call that began before its block
  expect(event, kNow - 1'000'000, 1);
  event.place = ~uint64_t{0};  // not known
  event.function = 0xffff;
  event.handle = 0xffffffff;
  event.error = kUnknownError;
  event.asked = event.moved = k32 - 1;
  event.end = event.start + k32 - 1;
  expect(event, kNow, 1);
  event.place = kShort - 1;
  expect(event, kNow, 1);
}

TEST(PackedEvent, IsWholeWhereOneIsNot) {
  for (const int which : {0, 1, 2, 3, 4, 5, 6}) {
    RawEvent event = kCommon;
    if (which == 0) event.end = event.start + k32;
    if (which == 1) event.end = event.start - 1;
    if (which == 2) event.place = kShort;
    if (which == 3) event.asked = k32;
    if (which == 4) event.moved = ~uint64_t{0};
    if (which == 5) event.start = event.end = kNow - kBefore - 1;
    if (which == 6) event.start = event.end = kNow + kBefore;
    expect(event, kNow, 2);
  }
}

TEST(PackedEvent, OfACounterTakesOnePlaceWhateverItsValue) {
  for (const uint64_t value : {uint64_t{0}, uint64_t{1}, k32, uint64_t{0x4008'0000'0000'0000}, ~uint64_t{0}})
    expect({kNow, kNow, 0, 0, value, 7, 0, RawKind::kCounter, 0}, kNow - 5, 1);
  expect({kNow, kNow + 1, 0, 0, k32, 7, 0, RawKind::kCounter, 0}, kNow, 2);
  expect({kNow, kNow, 0, 1, k32, 7, 0, RawKind::kCounter, 0}, kNow, 2);
  expect({kNow, kNow, kShort, 0, k32, 7, 0, RawKind::kCounter, 0}, kNow, 2);
}

TEST(PackedEvent, OfALibraryTakesOnePlaceWithAndWithoutAFile) {
  expect({kNow, kNow + 900, ~uint64_t{0}, 0, 0, 0, 0x8003, RawKind::kLibrary, kUnknownError}, kNow, 1);
  expect({kNow, kNow + 900, uint64_t{1} << 40, 4096, 4096, 7, 0x8003, RawKind::kLibraryEnd, 0}, kNow, 1);
}

/// What no recorder writes is some event, and the next one is where it was.
TEST(PackedEvent, OfAnyWordsIsReadWithoutHarm) {
  for (uint64_t round = 0; round < 20'000; ++round) {
    PackedEvent any[2];
    for (uint64_t i = 0; i < 8; ++i) any[i / 4].words[i % 4] = base::mix(round, i);
    const uint64_t kind = round % 4 == 0 ? kWhole : round % 4 == 1 ? kValue : round % 35;
    any[0].words[1] = (any[0].words[1] & ~(uint64_t{255} << kShortBits)) | kind << kShortBits;
    const RawEvent event = unpack(any, base::mix(round, 9));
    if (kind == kWhole) {
      EXPECT_EQ(std::memcmp(&event, any[0].words + 2, sizeof event), 0);
    } else {
      EXPECT_EQ(event.handle, any[0].words[3] >> 32);
      EXPECT_EQ(event.kind, kind == kValue ? RawKind::kCounter : static_cast<RawKind>(kind));
    }
  }
}

TEST(PackedEvent, IsReadAsItWasWritten) {
  for (uint64_t round = 0; round < 20'000; ++round) {
    const auto value = [&](uint64_t of) {
      const uint64_t bits = base::mix(round, of);
      return bits >> (base::mix(round, of + 100) & 63);
    };
    const RawEvent event = {value(0),
                            value(1),
                            value(2),
                            value(3),
                            value(4),
                            static_cast<uint32_t>(value(5)),
                            static_cast<uint16_t>(value(6)),
                            round % 5 == 0 ? RawKind::kCounter : static_cast<RawKind>(value(7) % 35),
                            static_cast<uint8_t>(value(8))};
    PackedEvent packed[2];
    (void)pack(event, value(9), packed);
    EXPECT_TRUE(same(unpack(packed, value(9)), event)) << round;
  }
}

}  // namespace
}  // namespace headrace::capture
