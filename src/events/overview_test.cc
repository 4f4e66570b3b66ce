// Overviews, against what all events say.

#include "events/overview.h"

#include <gtest/gtest.h>

#include "events/event_cursor.h"
#include "events/made_streams.h"
#include "events/made_trace.h"
#include "events/open_regions.h"
#include "events/overview_row.h"
#include "events/trace_stats.h"

namespace headrace::events {
namespace {

using model::Event;
using model::EventKind;
using model::TimeClass;
using Planes = std::array<std::vector<uint64_t>, kPlanes>;

/// The same by going through every event, a slow and plain way.
Planes exact(TraceReader& trace, const Overview& shape) {
  const TimeColumns columns(shape.begin_at_ns, shape.end_at_ns, shape.columns);
  Planes planes;
  for (auto& plane : planes) plane.resize(size_t{shape.columns} * shape.rows);
  for (uint32_t row = 0; row < shape.rows; ++row) {
    for (uint32_t location = shape.first[row]; location < shape.first[row + 1]; ++location) {
      EventCursor cursor(trace, trace.locations()[location]);
      OpenRegions open;
      uint64_t latest = 0;
      bool first = true;
      const auto innermost = [&] {
        return open.references().empty() ? TimeClass::kProgram
                                         : trace.references()[open.references().back()].time_class;
      };
      while (cursor.next().value()) {
        const uint64_t begin = cursor.events().front().time;
        if (cursor.gap() || first) {
          open = OpenRegions();
          for (const uint32_t each : cursor.open()) open.enter(each);
          latest = begin;
          first = false;
        }
        latest = std::min(latest, begin);  // each chunk counts from its own first event on
        for (const Event& event : cursor.events()) {
          auto* const cells = planes[static_cast<unsigned>(innermost())].data() + size_t{row} * shape.columns;
          while (latest < event.time) {
            const bool inside = latest >= columns.begin() && latest < columns.end();
            const uint64_t edge = inside                     ? columns.edge(columns.at(latest) + 1)
                                  : latest < columns.begin() ? columns.begin()
                                                             : event.time;
            const uint64_t until = std::min(event.time, edge);
            if (inside) cells[columns.at(latest)] += until - latest;
            latest = until;
          }
          open.take(event);
          const bool inside = latest >= columns.begin() && latest < columns.end();
          if (!inside || event.kind() != EventKind::kIoEnd || event.place != 0) continue;
          const TimeClass what = trace.references()[event.reference()].time_class;
          if (what != TimeClass::kRead && what != TimeClass::kWrite) continue;
          planes[what == TimeClass::kRead ? kReadPlane : kWrittenPlane][row * shape.columns + columns.at(latest)] +=
              event.size;
        }
      }
    }
  }
  return planes;
}

/// Operations, regions and pauses; some times go back, some ends are missing or fail.
std::vector<Event> stream(uint64_t seed, size_t count) {
  MadeStream made(seed);
  uint64_t time = made.number() % 5000;
  std::vector<Event> events;
  while (events.size() < count) {
    const uint64_t choice = made.number();
    time += choice % 97 == 0 ? choice % 20'000 : choice % 40;
    if (choice % 211 == 0 && time > 30) time -= 30;
    const auto reference = static_cast<uint32_t>(choice >> 20) % 16;
    const EventKind kinds[] = {EventKind::kEnter, EventKind::kLeave, EventKind::kIoBegin, EventKind::kIoEnd,
                               EventKind::kSend};
    const EventKind kind = kinds[(choice >> 8) % 5];
    events.push_back(event(time, kind, reference, 1, choice >> 50, choice % 13 == 0 ? 5 : 0));
  }
  return events;
}

class Made {
 public:
  Made(uint64_t seed, uint32_t locations, size_t count, uint8_t tick_shift = 0) {
    for (uint32_t i = 0; i < 16; ++i)
      trace.reference("function", "f" + std::to_string(i), static_cast<TimeClass>(i % model::kTimeClasses));
    for (uint32_t i = 0; i < locations; ++i)
      trace.add({.process = i, .thread = 1, .rank = static_cast<int32_t>(i)}, stream(seed + i, count), tick_shift);
  }
  MadeTrace trace;
};

TEST(Overview, OfDecodedEventsIsExact) {
  Made made(1, 3, kMostEvents + 5000);
  TraceReader trace = made.trace.finish();
  // Wholly inside, from before until behind, and between two chunks.
  for (const auto& [begin, end] : {std::pair<uint64_t, uint64_t>{0, 0}, {1'000'000, 1'050'000}, {300'000, 900'000}}) {
    const Overview seen = overview(trace, {.begin_at_ns = begin, .end_at_ns = end, .columns = 5000, .rows = 2}).value();
    EXPECT_EQ(seen.rows, 2u);
    EXPECT_EQ(seen.first, (std::vector<uint32_t>{0, 1, 3}));
    EXPECT_EQ(seen.precision_ns, 0u);
    EXPECT_EQ(seen.planes, exact(trace, seen));
  }
  const Overview close =
      overview(trace, {.begin_at_ns = 1'000'000, .end_at_ns = 1'050'000, .columns = 500, .rows = 9}).value();
  EXPECT_EQ(close.precision_ns, 0u);
  EXPECT_EQ(close.decoded_chunks, close.chunks);
  EXPECT_EQ(close.rows, 3u);
  EXPECT_EQ(close.planes, exact(trace, close));
}

TEST(Overview, OfOneCellIsWhatAllEventsAddUpTo) {
  Made made(2, 4, 2 * kMostEvents + 100, 3);
  TraceReader trace = made.trace.finish();
  const Overview seen = overview(trace, {.columns = 1, .rows = 1, .most_decoded = 0}).value();
  EXPECT_EQ(seen.precision_ns, 0u);
  EXPECT_EQ(seen.decoded_chunks, 0u);
  EXPECT_EQ(seen.chunks, 12u);
  EXPECT_EQ(seen.planes, exact(trace, seen));
}

/// In a row, what lies before each column's end.
std::vector<uint64_t> sums(const std::vector<uint64_t>& cells) {
  std::vector<uint64_t> sums{0};
  for (const uint64_t cell : cells) sums.push_back(sums.back() + cell);
  return sums;
}

TEST(Overview, OfSummariesIsOffByWhatTheBinsOfEdgesHave) {
  for (uint64_t seed = 10; seed < 22; ++seed) {
    Made made(seed, 2, 500 + seed * 3001 % 70'000, seed % 3);
    TraceReader trace = made.trace.finish();
    const auto columns = static_cast<uint32_t>(1 + seed * 37 % 150);
    const Overview whole = overview(trace, {.columns = 4096, .rows = 1, .most_decoded = 0}).value();
    const uint64_t third = (whole.end_at_ns - whole.begin_at_ns) / 3;
    OverviewQuery query{.columns = columns, .rows = 1, .most_decoded = 0};
    if (seed % 2) {
      query.begin_at_ns = whole.begin_at_ns + third;
      query.end_at_ns = whole.end_at_ns - third;
    }
    const Overview seen = overview(trace, query).value();
    const uint64_t slack = seen.precision_ns;
    const Planes exactly = exact(trace, seen);
    for (uint32_t plane = 0; plane < kPlanes; ++plane) {
      const auto told = sums(seen.planes[plane]), truth = sums(exactly[plane]);
      // An edge may be off by a bin's time of each location, and each bin by a 255th.
      uint64_t most = 2 * (slack + 64 * slack / 255 + 1);
      if (plane >= kReadPlane) {
        const uint64_t widest = *std::max_element(exactly[plane].begin(), exactly[plane].end());
        most = 2 * widest + 1;
      }
      for (size_t edge = 0; edge < told.size(); ++edge)
        ASSERT_LE(std::max(told[edge], truth[edge]) - std::min(told[edge], truth[edge]), most)
            << "seed " << seed << " plane " << plane << " edge " << edge << " slack " << slack;
      if (seed % 2 == 0) {
        EXPECT_EQ(told.back(), truth.back());
      }
    }
  }
}

TEST(Overview, PassesOverWhatIsDamagedAndTellsIt) {
  Made made(30, 2, 3 * kMostEvents);
  (void)made.trace.finish();
  made.trace.damage(1, format::kHeaderSize + 300);  // in its head
  TraceReader trace = made.trace.reader();
  const Overview seen = overview(trace, {.columns = 1, .rows = 2}).value();
  EXPECT_EQ(seen.unread_chunks, 1u);
  EXPECT_EQ(trace.damaged_chunks(), 1u);
  EXPECT_EQ(seen.planes, exact(trace, seen));
}

TEST(Overview, CountsNoDamageOutsideOfItsRange) {
  Made made(32, 1, 3 * kMostEvents);
  const TraceReader whole = made.trace.finish();
  const uint64_t second = whole.chunks()[whole.locations()[0].chunks[1]].header.begin_at_ns;
  made.trace.damage(1, format::kHeaderSize + 300);
  TraceReader trace = made.trace.reader();
  const Overview seen =
      overview(trace, {.begin_at_ns = second - 500, .end_at_ns = second - 100, .columns = 4, .rows = 1}).value();
  EXPECT_EQ(seen.chunks, 1u);
  EXPECT_EQ(seen.unread_chunks, 0u);
}

TEST(Overview, BelievesTheChunkWhereItsHeadIsForged) {
  Made made(31, 1, 500);
  TraceReader before = made.trace.finish();
  const Overview whole = overview(before, {.columns = 1, .rows = 1}).value();
  std::vector<uint8_t> forged;
  for (const format::ChunkInfo& info : before.chunks()) {
    const size_t size = format::kHeaderSize + info.header.stored_length;
    std::vector<uint8_t> chunk(made.trace.bytes().begin() + static_cast<ptrdiff_t>(info.offset),
                               made.trace.bytes().begin() + static_cast<ptrdiff_t>(info.offset + size));
    if (info.header.name() == "events") {
      const base::Bytes payload = base::Bytes(chunk).subspan(format::kHeaderSize);
      chunk[size - take_apart(payload)->columns.size() - 1] ^= 1;  // of the head's checksum
      format::ChunkHeader header = info.header;
      ASSERT_TRUE(format::seal_as_it_is(header, chunk).ok());
    }
    forged.insert(forged.end(), chunk.begin(), chunk.end());
  }
  TraceReader trace = TraceReader::open_memory(forged).value();
  const Overview seen = overview(trace, {.columns = 1, .rows = 1}).value();
  EXPECT_EQ(seen.unread_chunks, 0u);
  EXPECT_EQ(seen.planes, whole.planes);
}

TEST(Overview, KnowsWhatGoesOnBetweenChunks) {
  MadeTrace made;
  const uint32_t write = made.reference("function", "write", TimeClass::kWrite);
  std::vector<Event> events;
  for (uint32_t i = 0; i < kMostEvents - 1; ++i) events.push_back(event(10 + i, EventKind::kCounter, write));
  events.push_back(event(50'000, EventKind::kIoBegin, write, 1, 100));
  events.push_back(event(9'050'000, EventKind::kIoEnd, write, 1, 100));  // the second chunk
  made.add({.process = 1, .thread = 1, .rank = 0}, events);
  TraceReader trace = made.finish();
  const Overview seen =
      overview(trace, {.begin_at_ns = 1'000'000, .end_at_ns = 2'000'000, .columns = 10, .rows = 1}).value();
  EXPECT_EQ(seen.planes[static_cast<unsigned>(TimeClass::kWrite)], std::vector<uint64_t>(10, 100'000));
  EXPECT_EQ(seen.chunks, 0u);
  const Overview after =
      overview(trace, {.begin_at_ns = 9'050'000, .end_at_ns = 9'050'010, .columns = 2, .rows = 1}).value();
  EXPECT_EQ(after.planes[kWrittenPlane], (std::vector<uint64_t>{100, 0}));
}

TEST(Overview, RefusesWhatIsNoPicture) {
  Made made(40, 1, 100);
  TraceReader trace = made.trace.finish();
  const auto code = [&](const OverviewQuery& query) { return overview(trace, query).code(); };
  EXPECT_EQ(code({.columns = 0, .rows = 1}), base::Code::kInvalid);
  EXPECT_EQ(code({.columns = 1, .rows = 0}), base::Code::kInvalid);
  EXPECT_EQ(code({.columns = 9'000'000, .rows = 1}), base::Code::kInvalid);
  EXPECT_EQ(code({.begin_at_ns = 5, .end_at_ns = 5, .columns = 1, .rows = 1}), base::Code::kInvalid);
  EXPECT_EQ(code({.begin_at_ns = 5, .end_at_ns = 10, .columns = 6, .rows = 1}), base::Code::kInvalid);
  EXPECT_EQ(code({.columns = 1, .rows = 1, .locations = {1}}), base::Code::kInvalid);
}

TEST(Overview, HasTheRowsThatAreAskedFor) {
  Made made(41, 3, 100);
  TraceReader trace = made.trace.finish();
  const Overview alike = *overview(trace, {.columns = 1, .rows = 3});
  const Overview seen = *overview(trace, {.columns = 1, .rows = 2, .locations = {2, 0, 1}, .first = {0, 1, 3}});
  ASSERT_EQ(seen.rows, 2u);
  for (uint32_t plane = 0; plane < kPlanes; ++plane) {
    EXPECT_EQ(seen.planes[plane][0], alike.planes[plane][2]);
    EXPECT_EQ(seen.planes[plane][1], alike.planes[plane][0] + alike.planes[plane][1]);
  }
  for (const std::vector<uint32_t>& first :
       {std::vector<uint32_t>{1, 3}, {0, 2}, {0, 2, 1, 3}, {0, 1, 2, 3}, {3}, {0, 4}})
    EXPECT_EQ(overview(trace, {.columns = 1, .rows = 2, .first = first}).code(), base::Code::kInvalid);
}

TEST(Overview, IsTheSameForAnyNumberOfThreads) {
  Made made(50, 9, 5000);
  TraceReader trace = made.trace.finish();
  const Overview one = overview(trace, {.columns = 300, .rows = 4, .threads = 1}).value();
  const Overview three = overview(trace, {.columns = 300, .rows = 4, .threads = 3}).value();
  EXPECT_EQ(one.planes, three.planes);
  EXPECT_EQ(one.precision_ns, three.precision_ns);
}

}  // namespace
}  // namespace headrace::events
