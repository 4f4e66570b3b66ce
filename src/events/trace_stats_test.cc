// Sums of events that are known.

#include "events/trace_stats.h"

#include <gtest/gtest.h>

#include <map>

#include "events/event_chunk.h"
#include "events/made_trace.h"

namespace headrace::events {
namespace {

using enum model::EventKind;
using model::Event;
using model::TimeClass;

uint64_t of(const TraceStats& stats, TimeClass what) { return stats.class_ns[static_cast<unsigned>(what)]; }

TEST(TraceStats, AddUpCallsBytesErrorsAndTime) {
  MadeTrace made;
  const uint32_t step = made.reference("region", "step", TimeClass::kProgram);
  const uint32_t write = made.reference("function", "write", TimeClass::kWrite);
  const uint32_t world = made.reference("communicator", "world", TimeClass::kMessages);
  const uint32_t call = made.reference("region", "MPI_Send", TimeClass::kMessages);
  made.add({.process = 1, .thread = 1, .rank = 0},
           {event(100, kEnter, step), event(110, kIoBegin, write, 1, 50), event(130, kIoEnd, write, 1, 40),
            event(140, kIoBegin, write, 1, 9), event(145, kIoEnd, write, 1, 0, 28), event(150, kEnter, call),
            event(160, kSend, world, 1, 8, 3), event(170, kLeave, call, 0, 8), event(180, kIoBegin, write, 1, 7)});
  TraceReader reader = made.finish();
  const TraceStats stats = *add_up(reader);
  EXPECT_EQ(stats.events, 9u);
  EXPECT_EQ(stats.kinds, (std::array<uint64_t, model::kEventKinds>{2, 1, 3, 2, 1, 0, 0, 0}));
  const SpanFigures& writes = stats.spans[write];
  EXPECT_EQ(writes.calls, 2u);
  EXPECT_EQ(writes.unfinished, 1u);
  EXPECT_EQ(writes.errors, 1u);
  EXPECT_EQ(writes.bytes, 40u);
  EXPECT_EQ(writes.time_ns, 25u);
  EXPECT_EQ(writes.longest_ns, 20u);
  EXPECT_EQ(writes.own_ns, 25u);
  EXPECT_EQ(stats.spans[call].bytes, 8u);
  EXPECT_EQ(stats.spans[step].unfinished, 1u);
  EXPECT_EQ(stats.traffic.sends, 1u);
  EXPECT_EQ(stats.traffic.sent, 8u);
  EXPECT_EQ(of(stats, TimeClass::kWrite), 25u);
  EXPECT_EQ(of(stats, TimeClass::kMessages), 20u);
  EXPECT_EQ(of(stats, TimeClass::kProgram), 35u);
}

class CallsOfFiles : public testing::Test {
 protected:
  CallsOfFiles() : reader_(made()) {}

  TraceReader made() {
    made_.add(
        {.process = 1, .thread = 1, .rank = 0},
        {event(10, kEnter, step_), event(20, kIoBegin, fwrite_, 1, 8), event(21, kIoBegin, write_, 1, 8),
         event(25, kIoEnd, write_, 1, 8), event(30, kIoEnd, fwrite_, 1, 8), event(40, kIoBegin, read_, 2, 4),
         event(47, kIoEnd, read_, 2, 0, 5), event(50, kIoBegin, dataset_, 3, 6), event(52, kIoEnd, dataset_, 3, 6),
         event(60, kLeave, step_), event(61, kIoBegin, write_, 0, 1), event(63, kIoEnd, write_, 0, 1)});
    made_.add({.process = 2, .thread = 1, .rank = 1},
              {event(10, kIoBegin, write_, 1, 5), event(12, kIoBegin, write_, 1, 5), event(13, kIoEnd, write_, 1, 5),
               event(15, kIoEnd, write_, 1, 5), event(20, kIoBegin, read_, 1, 9)});
    for (const Handle& each :
         {Handle{1, 1, "/a/one"}, Handle{1, 2, "/a/two.h5"}, Handle{1, 3, "/a/two.h5:/x:y"}, Handle{2, 1, "/a/one"}})
      EXPECT_TRUE(made_.writer().add(std::vector<Handle>{each}).ok());
    return made_.finish();
  }

  TraceStats stats(const CallChoice& calls) { return *add_up(reader_, {0, 1}, {}, {calls, true}); }

  MadeTrace made_;
  const uint32_t step_ = made_.reference("region", "step", TimeClass::kProgram, "phase");
  const uint32_t fwrite_ = made_.reference("function", "fwrite", TimeClass::kWrite, "stdio");
  const uint32_t write_ = made_.reference("function", "write", TimeClass::kWrite);
  const uint32_t read_ = made_.reference("function", "read", TimeClass::kRead);
  const uint32_t dataset_ = made_.reference("function", "H5Dwrite", TimeClass::kWrite, "hdf5");
  TraceReader reader_;
};

TEST_F(CallsOfFiles, AddUpByPathAndLayer) {
  const std::vector<FileFigures> files = stats({}).files;
  std::map<std::pair<std::string, std::string>, FileFigures> by;
  for (const FileFigures& each : files) by[{each.path, each.layer}] = each;
  ASSERT_EQ(by.size(), files.size());
  EXPECT_EQ(by.size(), 5u);
  const FileFigures& one = by[{"/a/one", "posix"}];
  EXPECT_EQ(one.calls, 3u);
  EXPECT_EQ(one.unfinished, 1u);
  EXPECT_EQ(one.bytes_written, 18u);
  EXPECT_EQ(one.time_ns, 9u);  // what is inside of another call on it counts once
  EXPECT_EQ(one.longest_ns, 5u);
  const FileFigures& stream = by[{"/a/one", "stdio"}];
  EXPECT_EQ(stream.time_ns, 10u);
  EXPECT_EQ(stream.bytes_written, 8u);
  const FileFigures& two = by[{"/a/two.h5", "posix"}];
  EXPECT_EQ(two.errors, 1u);
  EXPECT_EQ(two.bytes_read, 0u);
  EXPECT_EQ(by.count({"/a/two.h5:/x:y", "hdf5"}), 1u);
  EXPECT_EQ(by.count({"", "posix"}), 1u);
}

TEST_F(CallsOfFiles, AreChosenByFileFunctionAndError) {
  const auto calls = [](const TraceStats& stats) {
    uint64_t sum = 0;
    for (const SpanFigures& each : stats.spans) sum += each.calls;
    uint64_t on_files = 0;
    for (const FileFigures& each : stats.files) on_files += each.calls;
    return std::pair(sum, on_files);
  };
  using Calls = std::pair<uint64_t, uint64_t>;
  EXPECT_EQ(calls(stats({})), Calls(8, 7));
  EXPECT_EQ(calls(stats({.files = {"one"}})), Calls(4, 4));
  EXPECT_EQ(calls(stats({.files = {"*/o?e"}})), Calls(4, 4));
  EXPECT_EQ(calls(stats({.files = {"a/one"}})), Calls(0, 0));
  EXPECT_EQ(calls(stats({.files = {"*.h5"}})), Calls(2, 2));  // a dataset is in its file
  EXPECT_EQ(calls(stats({.files = {"*.h5", "one"}})), Calls(6, 6));
  EXPECT_EQ(calls(stats({.functions = {"*write"}})), Calls(6, 6));
  EXPECT_EQ(calls(stats({.functions = {"s*"}})), Calls(1, 0));
  EXPECT_EQ(calls(stats({.errors = true})), Calls(1, 1));
  EXPECT_EQ(calls(stats({.files = {"one"}, .functions = {"*write"}, .errors = true})), Calls(0, 0));
}

TEST(TraceStats, GoOnBehindAChunkThatIsDamaged) {
  MadeTrace made;
  const uint32_t step = made.reference("region", "step", TimeClass::kProgram);
  const uint32_t read = made.reference("function", "read", TimeClass::kRead);
  std::vector<Event> events{event(0, kEnter, step)};
  for (uint64_t i = 1; i <= kMostEvents; ++i) {  // 10 ns each, and 10 between
    events.push_back(event(20 * i, kIoBegin, read, 1, 5));
    events.push_back(event(20 * i + 10, kIoEnd, read, 1, 5));
  }
  made.add({.process = 1, .thread = 1}, events);  // chunks end between begin and end
  (void)made.finish();
  made.damage(1, 300);
  TraceReader reader = made.reader();
  const TraceStats stats = *add_up(reader);
  EXPECT_EQ(stats.events, kMostEvents + 1);
  EXPECT_EQ(reader.damaged_chunks(), 1u);
  EXPECT_EQ(stats.spans[read].calls, kMostEvents / 2);
  EXPECT_EQ(stats.spans[read].unfinished, 0u);
  EXPECT_EQ(stats.spans[read].time_ns, 10 * (kMostEvents / 2 - 1));  // the last one began in the lost chunk
  EXPECT_EQ(stats.spans[step].unfinished, 1u);
}

TEST(TraceStats, AddTheTimeOfWhatCallsItselfOnce) {
  MadeTrace made;
  const uint32_t down = made.reference("region", "down", TimeClass::kProgram);
  made.add({.process = 1, .thread = 1},
           {event(0, kEnter, down), event(10, kEnter, down), event(20, kEnter, down), event(60, kLeave, down),
            event(70, kLeave, down), event(90, kLeave, down), event(100, kEnter, down), event(105, kLeave, down)});
  TraceReader reader = made.finish();
  const SpanFigures figures = (*add_up(reader)).spans[down];
  EXPECT_EQ(figures.calls, 4u);
  EXPECT_EQ(figures.time_ns, 95u);
  EXPECT_EQ(figures.own_ns, 95u);
  EXPECT_EQ(figures.longest_ns, 90u);
  const SpanFigures cut = (*add_up(reader, {0}, {15, 65})).spans[down];
  EXPECT_EQ(cut.time_ns, 50u) << "a range in the midst of it is inside once";
}

TEST(TraceStats, TakeTheTimeOfWhatIsInsideFromOwnTime) {
  MadeTrace made;
  const uint32_t step = made.reference("region", "step", TimeClass::kProgram);
  const uint32_t write = made.reference("function", "write", TimeClass::kWrite);
  made.add({.process = 1, .thread = 1},
           {event(0, kEnter, step), event(10, kEnter, step), event(15, kIoBegin, write, 1, 5),
            event(18, kIoEnd, write, 1, 5), event(20, kLeave, step), event(50, kLeave, step)});
  TraceReader reader = made.finish();
  const TraceStats stats = *add_up(reader);
  EXPECT_EQ(stats.spans[step].time_ns, 50u);  // the inner one once
  EXPECT_EQ(stats.spans[step].own_ns, 47u);
  EXPECT_EQ(stats.spans[write].own_ns, 3u);
}

/// In each of three chunks: a step from its first event on, to the last one of the chunk, with reads of 10 ns.
class StatsOfARange : public testing::Test {
 protected:
  StatsOfARange()
      : step(made.reference("region", "step", TimeClass::kProgram)),
        read(made.reference("function", "read", TimeClass::kRead)) {
    std::vector<Event> events{event(1'000, kEnter, step)};
    const uint64_t reads = 3 * kMostEvents / 2 - 1;
    for (uint64_t i = 0; i < reads; ++i) {
      events.push_back(event(2'000 + 20 * i, kIoBegin, read, 1, 5));
      events.push_back(event(2'010 + 20 * i, kIoEnd, read, 1, 5));
    }
    events.push_back(event(10'000'000, kLeave, step));
    made.add({.process = 1, .thread = 1}, events);
  }

  TraceStats of_range(uint64_t begin, uint64_t end) {
    TraceReader reader = made.reader();
    return *add_up(reader, {0}, {begin, end});
  }

  MadeTrace made;
  uint32_t step, read;
};

TEST_F(StatsOfARange, HaveWhatIsInsideOfIt) {
  (void)made.finish();
  const uint64_t late = 2'000 + 20 * (kMostEvents + 100);  // in the third chunk
  const TraceStats stats = of_range(late + 5, late + 45);  // half of a read, one, and half of one more
  EXPECT_EQ(stats.events, 4u);
  EXPECT_EQ(stats.spans[read].calls, 2u);
  EXPECT_EQ(stats.spans[read].bytes, 10u);
  EXPECT_EQ(stats.spans[read].time_ns, 20u);
  EXPECT_EQ(stats.spans[read].longest_ns, 10u);
  EXPECT_EQ(stats.spans[read].unfinished, 1u);
  EXPECT_EQ(stats.spans[step].time_ns, 40u);
  EXPECT_EQ(stats.spans[step].own_ns, 20u);
  EXPECT_EQ(of(stats, TimeClass::kRead), 20u);
  EXPECT_EQ(of(stats, TimeClass::kProgram), 20u);
}

TEST_F(StatsOfARange, KnowWhatIsOpenBetweenTwoChunksOrEvents) {
  (void)made.finish();
  const uint64_t boundary = 2'000 + 20 * (kMostEvents / 2 - 1) + 10;  // the second chunk begins with an end
  const TraceStats chunks = of_range(boundary - 8, boundary - 2);
  EXPECT_EQ(chunks.events, 0u);
  EXPECT_EQ(of(chunks, TimeClass::kRead), 6u);
  EXPECT_EQ(chunks.spans[step].time_ns, 6u);
  const TraceStats events = of_range(5'000'000, 6'000'000);
  EXPECT_EQ(of(events, TimeClass::kProgram), 1'000'000u);
  EXPECT_EQ(events.spans[step].own_ns, 1'000'000u);
}

TEST_F(StatsOfARange, AreNothingBesideTheTrace) {
  (void)made.finish();
  for (const auto& [begin, end] : {std::pair<uint64_t, uint64_t>{0, 999}, {10'000'001, 20'000'000}}) {
    const TraceStats stats = of_range(begin, end);
    EXPECT_EQ(stats.events, 0u);
    EXPECT_EQ(of(stats, TimeClass::kProgram), 0u);
    EXPECT_EQ(stats.spans[step].time_ns, 0u);
  }
}

}  // namespace
}  // namespace headrace::events
