// What a trace holds is found again; what is lost or damaged is told with its amount, and the rest is read.

#include "events/trace_reader.h"

#include <gtest/gtest.h>

#include "events/event_cursor.h"
#include "events/made_streams.h"
#include "events/made_trace.h"
#include "format/writer.h"

namespace headrace::events {
namespace {

using enum model::EventKind;
using model::Event;
using model::TimeClass;

constexpr size_t kThreeChunks = 2 * kMostEvents + 10;

class TraceReaderTest : public testing::Test {
 protected:
  TraceReaderTest() {
    for (int i = 0; i < 200; ++i) made_.reference("function", "f" + std::to_string(i), TimeClass::kRead);
  }

  static std::vector<Event> all(TraceReader& reader, const TraceLocation& location, TimeRange range = {}) {
    std::vector<Event> events;
    EventCursor cursor(reader, location, range);
    while (*cursor.next())
      for (const Event& each : cursor.events())
        if (range.has(each.time)) events.push_back(each);
    return events;
  }

  MadeTrace made_;
};

TEST_F(TraceReaderTest, GivesEachLocationItsEvents) {
  const std::vector<Event> events = MadeStream::s3d(kThreeChunks);
  made_.add({.process = 5, .thread = 2, .rank = 1, .host = "n1", .process_id = 44, .lost = 3}, events);
  made_.add({.process = 6, .thread = 1}, {});
  made_.add({.process = 5, .thread = 1, .rank = 1}, {events[0]});
  made_.add({.process = 9, .thread = 1, .rank = 0}, MadeStream::random(50));
  ASSERT_TRUE(made_.writer().add_facts({{"a", "1"}, {"b", "2"}, {"a", "3"}}).ok());
  ASSERT_TRUE(made_.writer().add(std::vector<Handle>{{5, 1, "/x"}}).ok());
  TraceReader reader = made_.finish();
  ASSERT_EQ(reader.locations().size(), 4u);
  EXPECT_EQ(reader.locations()[0].what.process, 9u);
  EXPECT_EQ(reader.locations()[1].what.thread, 1u);
  const TraceLocation& large = reader.locations()[2];
  EXPECT_EQ(large.what.host, "n1");
  EXPECT_EQ(large.what.lost, 3u);
  EXPECT_EQ(large.events, kThreeChunks);
  EXPECT_EQ(large.chunks.size(), 3u);
  EXPECT_EQ(large.lost_chunks + large.missing, 0u);
  EXPECT_EQ(large.begin_at_ns, events.front().time);
  EXPECT_EQ(large.end_at_ns, events.back().time);
  EXPECT_EQ(all(reader, large), events);
  EXPECT_EQ(all(reader, reader.locations()[0]), MadeStream::random(50));
  EXPECT_EQ(reader.locations()[3].what.process, 6u);
  EXPECT_EQ(reader.locations()[3].events, 0u);
  EXPECT_EQ(reader.references()[7].name, "f7");
  EXPECT_EQ(reader.handle(5, 1), "/x");
  EXPECT_EQ(reader.handle(6, 1), "");
  EXPECT_EQ(reader.facts(), (std::vector<std::pair<std::string, std::string>>{{"a", "3"}, {"b", "2"}}));
  EXPECT_TRUE(reader.closed());
}

TEST_F(TraceReaderTest, HasProcessesInTheOrderOfTheirBegins) {
  made_.add({.process = 90, .thread = 1, .process_id = 7}, {event(50, kIoBegin, 0)});
  made_.add({.process = 20, .thread = 2, .process_id = 8}, {event(40, kIoBegin, 0)});
  made_.add({.process = 20, .thread = 1, .process_id = 8}, {event(60, kIoBegin, 0)});
  made_.add({.process = 10, .thread = 1, .process_id = 10}, {});
  made_.add({.process = 50, .thread = 1, .process_id = 9}, {});
  made_.add({.process = 30, .thread = 1, .process_id = 6}, {});
  made_.add({.process = 80, .thread = 1, .rank = 0}, {event(99, kIoBegin, 0)});
  const std::vector<ClockRow> clocks{{.process = 30, .when = "start", .at_ns = -5},
                                     {.process = 90, .when = "start", .at_ns = 1}};
  ASSERT_TRUE(made_.writer().add(clocks).ok());
  const TraceReader reader = made_.finish();
  std::vector<std::pair<uint64_t, uint32_t>> order;
  for (const TraceLocation& each : reader.locations()) order.emplace_back(each.what.process, each.what.thread);
  const std::vector<std::pair<uint64_t, uint32_t>> wanted{{80, 1}, {30, 1}, {90, 1}, {20, 1},
                                                          {20, 2}, {50, 1}, {10, 1}};
  EXPECT_EQ(order, wanted) << "ranks, as they began, and by pid of what nothing is known";
}

TEST_F(TraceReaderTest, HasTheNamesOfLocations) {
  made_.add({.process = 1, .thread = 2, .command = "a.out", .name = "worker"}, {});
  const TraceReader reader = made_.finish();
  EXPECT_EQ(reader.locations()[0].what.command, "a.out");
  EXPECT_EQ(reader.locations()[0].what.name, "worker");
}

TEST(TraceReader, ReadsTracesFromBeforeThereWereNames) {
  std::vector<uint8_t> bytes;
  auto writer = format::Writer::open(std::make_unique<format::MemorySink>(bytes), {.job = 1}).value();
  const std::vector<uint64_t> one{1};
  const std::vector<int64_t> rank{3};
  const std::vector<std::string_view> host{"n1"};
  ASSERT_TRUE(writer
                  .add(format::TableBuilder("locations")
                           .u64("process", one)
                           .u64("thread", one)
                           .i64("rank", rank)
                           .text("host", host)
                           .u64("pid", one)
                           .u64("events", one)
                           .u64("lost", one))
                  .ok());
  ASSERT_TRUE(writer.close().ok());
  const auto opened = TraceReader::open_memory(bytes);
  ASSERT_TRUE(opened.ok()) << opened.message();
  ASSERT_EQ(opened->locations().size(), 1u);
  EXPECT_EQ(opened->locations()[0].what.rank, 3);
  EXPECT_EQ(opened->locations()[0].what.command, "");
  EXPECT_EQ(opened->locations()[0].what.name, "");
}

TEST_F(TraceReaderTest, GivesTheEventsOfARangeOfTime) {
  const std::vector<Event> events = MadeStream::s3d(kThreeChunks);
  made_.add({.process = 5, .thread = 1}, events);
  TraceReader reader = made_.finish();
  const size_t begin = kMostEvents - 5, end = kMostEvents + 9;
  const std::vector<Event> part = all(reader, reader.locations()[0], {events[begin].time, events[end].time});
  EXPECT_EQ(part, std::vector<Event>(events.begin() + begin, events.begin() + end + 1));
  EXPECT_TRUE(all(reader, reader.locations()[0], {0, 5}).empty());
}

TEST_F(TraceReaderTest, SeeksToATime) {
  const std::vector<Event> events = MadeStream::s3d(5 * kMostEvents);
  made_.add({.process = 1, .thread = 1, .rank = 0}, events);
  TraceReader reader = made_.finish();
  const TraceLocation& location = reader.locations()[0];
  EventCursor cursor(reader, location);
  const auto lands = [&](uint64_t at_ns) -> int64_t {
    cursor.seek(at_ns);
    if (!*cursor.next()) return -1;
    EXPECT_EQ(cursor.gap(), cursor.events().front() != events.front());
    return (std::find(events.begin(), events.end(), cursor.events().front()) - events.begin()) / int64_t{kMostEvents};
  };
  EXPECT_EQ(lands(0), 0);
  EXPECT_EQ(lands(events.back().time), 4);
  for (const int64_t chunk : {3, 1, 4, 0}) {
    EXPECT_EQ(lands(events[static_cast<size_t>(chunk) * kMostEvents].time), chunk);
    EXPECT_EQ(lands(events[static_cast<size_t>(chunk + 1) * kMostEvents - 1].time), chunk);
  }
  EXPECT_EQ(lands(events.back().time + 1), -1);
}

TEST_F(TraceReaderTest, SeeksWhereTimesGoBack) {
  std::vector<Event> events = MadeStream::s3d(kThreeChunks);
  std::rotate(events.begin(), events.begin() + kMostEvents, events.end());  // the first chunk is the last in time
  made_.add({.process = 1, .thread = 1, .rank = 0}, events);
  TraceReader reader = made_.finish();
  const TraceLocation& location = reader.locations()[0];
  EXPECT_FALSE(location.in_order);
  const TimeRange range{MadeStream::s3d(10).back().time, MadeStream::s3d(20).back().time};
  EXPECT_EQ(all(reader, location, range).size(), 11u);
}

TEST_F(TraceReaderTest, GivesTimesInNanoseconds) {
  made_.add({.process = 5, .thread = 1}, {event(1000, kEnter, 0)}, 4);
  TraceReader reader = made_.finish();
  EXPECT_EQ(all(reader, reader.locations()[0])[0].time, 992u);
}

TEST_F(TraceReaderTest, PassesOverDamagedChunksAndCountsThem) {
  const std::vector<Event> events = MadeStream::s3d(kThreeChunks);
  made_.add({.process = 5, .thread = 1}, events);
  (void)made_.finish();
  made_.damage(1, 300);
  TraceReader reader = made_.reader();
  EventCursor cursor(reader, reader.locations()[0]);
  ASSERT_TRUE(*cursor.next());
  EXPECT_FALSE(cursor.gap());
  ASSERT_TRUE(*cursor.next());
  EXPECT_TRUE(cursor.gap());
  EXPECT_EQ(cursor.events().size(), 10u);
  EXPECT_FALSE(*cursor.next());
  EXPECT_EQ(all(reader, reader.locations()[0]).size(), kMostEvents + 10);
  EXPECT_EQ(reader.damaged_chunks(), 1u);
  EXPECT_EQ(reader.damage().size(), 1u);
  EXPECT_EQ(reader.locations()[0].lost_chunks, 0u);
}

TEST_F(TraceReaderTest, CountsChunksThatAreNotThere) {
  for (size_t lost = 0; lost < 3; ++lost) {
    MadeTrace made;
    for (int i = 0; i < 200; ++i) made.reference("function", std::to_string(i), TimeClass::kRead);
    made.add({.process = 5, .thread = 1}, MadeStream::s3d(kThreeChunks));
    (void)made.finish();
    made.bytes().resize(made.bytes().size() - 200);  // the index, which knows of all
    made.damage(lost, 20);
    const TraceReader reader = made.reader();
    ASSERT_EQ(reader.locations().size(), 1u);
    EXPECT_EQ(reader.locations()[0].lost_chunks, 1u);
    EXPECT_EQ(reader.locations()[0].missing, lost == 2 ? 10 : kMostEvents);
    EXPECT_EQ(reader.damage().empty(), false);
  }
}

TEST_F(TraceReaderTest, ReadsWhatAKilledWriterLeft) {
  made_.add({.process = 5, .thread = 3, .rank = 2, .host = "n1"}, MadeStream::regular(20));
  TraceReader reader = made_.reader();
  ASSERT_EQ(reader.locations().size(), 1u);
  EXPECT_FALSE(reader.locations()[0].described);
  EXPECT_EQ(reader.locations()[0].what.rank, 2);
  EXPECT_EQ(reader.locations()[0].missing, 0u);
  EXPECT_EQ(all(reader, reader.locations()[0]), MadeStream::regular(20));
  EXPECT_FALSE(reader.closed());
}

TEST(TraceReader, SaysWhatIsNoTrace) {
  std::vector<uint8_t> bytes;
  auto writer = format::Writer::open(std::make_unique<format::MemorySink>(bytes), {.job = 1}).value();
  const std::vector<uint64_t> ids{1};
  ASSERT_TRUE(writer.add(format::TableBuilder("processes").u64("process", ids)).ok());
  ASSERT_TRUE(writer.close().ok());
  const auto opened = TraceReader::open_memory(bytes);
  EXPECT_EQ(opened.code(), base::Code::kForeign);
  EXPECT_NE(opened.message().find("a job log, and no trace"), std::string::npos);
}

TEST(TraceReader, ReadsATraceOfNothing) {
  MadeTrace made;
  ASSERT_TRUE(made.writer().add_facts({{kTraceOf, "job.hr"}}).ok());
  const TraceReader trace = made.finish();
  EXPECT_TRUE(trace.locations().empty());
  EXPECT_EQ(trace.facts().size(), 1u);
}

TEST(TraceReader, ChoosesAJob) {
  MadeTrace one;
  one.reference("region", "a", TimeClass::kProgram);
  one.add({.process = 1, .thread = 1}, {event(1, kEnter, 0)});
  (void)one.finish();
  std::vector<uint8_t> both = one.bytes(), other;
  auto writer = TraceWriter::open(std::make_unique<format::MemorySink>(other), 78).value();
  ASSERT_TRUE(writer.add({.process = 2, .thread = 1}, {}, {}).ok());
  ASSERT_TRUE(writer.close().ok());
  both.insert(both.end(), other.begin(), other.end());
  EXPECT_EQ(TraceReader::open_memory(both).code(), base::Code::kInvalid);
  EXPECT_EQ(TraceReader::open_memory(both, 3).code(), base::Code::kInvalid);
  EXPECT_EQ(TraceReader::open_memory(both, 2)->locations().at(0).what.process, 2u);
  EXPECT_EQ(TraceReader::open_memory(both, 1)->locations().at(0).events, 1u);
}

}  // namespace
}  // namespace headrace::events
