#include "capture/harvest/event_reader.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "base/hash.h"
#include "capture/harvest/thread_events.h"
#include "capture/packed_event.h"
#include "capture/spool_layout.h"
#include "events/event_chunk.h"
#include "intercept/functions.h"
#include "intercept/library_functions.h"

namespace headrace::capture {
namespace {

using model::EventKind;
using model::TimeClass;

/// A file of events, entry by entry.
class MadeFile {
 public:
  MadeFile() : bytes_(sizeof(EventFileHeader)) {}

  void add_block(uint32_t thread, const std::vector<RawEvent>& events, uint64_t counted) {
    const auto capacity = static_cast<uint32_t>(std::max<size_t>(8, events.size()));
    EventBlock block{EntryKind::kEvents, 0, thread, capacity, counted, 0, 500};
    block.bytes = static_cast<uint32_t>((sizeof block + capacity * sizeof(PackedEvent) + 63) / 64 * 64);
    const size_t at = grow(block.bytes);
    std::memcpy(static_cast<void*>(&bytes_[at]), &block, sizeof block);
    size_t place = at + sizeof block;
    for (const RawEvent& event : events) {
      PackedEvent packed[2];
      const size_t bytes = pack(event, block.base, packed) * sizeof(PackedEvent);
      std::memcpy(static_cast<void*>(&bytes_[place]), packed, bytes);
      place += bytes;
    }
  }

  void add_name(uint32_t number, const std::string& text, EntryKind kind = EntryKind::kName,
                RegionKind region = RegionKind::kPhase) {
    EventName name{kind, 0, number, static_cast<uint32_t>(text.size()), region};
    name.bytes = static_cast<uint32_t>((sizeof name + text.size() + 63) / 64 * 64);
    const size_t at = grow(name.bytes);
    std::memcpy(static_cast<void*>(&bytes_[at]), &name, sizeof name);
    std::memcpy(static_cast<void*>(&bytes_[at + sizeof name]), text.data(), text.size());
  }

  std::vector<std::byte> finish(uint64_t lost = 0) {
    EventFileHeader header{};
    header.magic = kEventMagic;
    header.version = kEventVersion;
    header.used = bytes_.size();
    header.lost = lost;
    std::memcpy(static_cast<void*>(bytes_.data()), &header, sizeof header);
    return bytes_;
  }

 private:
  size_t grow(size_t more) {
    const size_t at = bytes_.size();
    bytes_.resize(at + more);
    return at;
  }
  std::vector<std::byte> bytes_;
};

RawEvent raw(RawKind kind, uint64_t start, uint64_t end, intercept::Fn function, uint32_t handle) {
  const uint64_t asked = kind == RawKind::kCall ? 0 : 100;
  return {start, end, 4096, asked, 90, handle, static_cast<uint16_t>(function), kind, 0};
}

/// Takes the room of two.
RawEvent rare_write() {
  RawEvent rare = raw(RawKind::kWrite, 1000, 1010, intercept::Fn::pwrite, 1);
  rare.moved = uint64_t{1} << 40;
  return rare;
}

std::vector<std::byte> events_sample() {
  MadeFile file;
  file.add_name(1, "/data/a");
  file.add_block(2, {raw(RawKind::kWrite, 1000, 1010, intercept::Fn::pwrite, 1)}, 1);
  file.add_name(1, "dump", EntryKind::kRegion);
  file.add_name(2, "residual", EntryKind::kRegion, RegionKind::kCounter);
  file.add_block(
      1, {raw(RawKind::kEnter, 900, 900, intercept::Fn{}, 1), raw(RawKind::kCounter, 901, 901, intercept::Fn{}, 2)}, 2);
  file.add_block(
      2,
      {raw(RawKind::kRead, 1030, 1040, intercept::Fn::pread, 1),
       raw(RawKind::kCall, 1020, 1050, intercept::Fn::fsync, 1), raw(RawKind::kRead, 7, 7, intercept::Fn{}, 9)},
      2);
  return file.finish(5);
}

ClockMap clock_of_ns() {
  Header header{};
  header.clock = ClockKind::kMonotonic;
  const Moment start{0, 0, 1'000'000'000'000, 0};
  header.realtime_ns = start.realtime_ns;
  Moment now = start;
  now.monotonic_ns = 1'000'000;
  now.boottime_ns = 1'000'000;
  now.realtime_ns += 1'000'000;
  return ClockMap(header, start, now);
}

struct ThreadTrace {
  std::vector<model::Event> events;
  std::vector<events::Reference> references;
  uint64_t moved = 0, read = 0;
  bool torn = false;
};

ThreadTrace trace_of(const RecordedEvents& recorded, const RecordedThread& thread, size_t piece,
                     std::span<const OpenCall> open = {}, uint64_t earliest = 0) {
  ThreadTrace trace;
  events::Meanings meanings;
  const ClockMap clock = clock_of_ns();
  EventConverter converter(recorded, clock, meanings);
  ThreadEvents events(recorded, thread, 0, clock, converter, open, earliest, piece);
  for (auto some = events.next(); !some.empty(); some = events.next())
    trace.events.insert(trace.events.end(), some.begin(), some.end());
  trace.references = meanings.named();
  trace.moved = events.moved();
  trace.read = events.read();
  trace.torn = events.torn();
  return trace;
}

/// Which is the same however much is read at a time.
ThreadTrace trace_of(const RecordedEvents& recorded, const RecordedThread& thread, std::span<const OpenCall> open = {},
                     uint64_t earliest = 0) {
  ThreadTrace trace = trace_of(recorded, thread, kRawPiece, open, earliest);
  for (const size_t piece : {2, 3, 5}) {
    const ThreadTrace other = trace_of(recorded, thread, piece, open, earliest);
    EXPECT_EQ(other.events, trace.events) << piece;
    EXPECT_EQ(other.moved, trace.moved);
    EXPECT_EQ(other.torn, trace.torn);
  }
  return trace;
}

RecordedEvents read_made(const std::vector<std::byte>& bytes) { return read_events(EventBytes(bytes)); }

TEST(RecordedEvents, OfACallWithTwoPathsEndWithTheSecond) {
  MadeFile file;
  file.add_name(1, "/data/old");
  file.add_name(2, "/data/new");
  RawEvent renaming = raw(RawKind::kCall, 1000, 1010, intercept::Fn::rename, 1);
  renaming.asked = 2;
  file.add_block(1, {renaming}, 1);
  const std::vector<std::byte> bytes = file.finish(0);
  const RecordedEvents recorded = read_made(bytes);
  const ThreadTrace trace = trace_of(recorded, recorded.threads.begin()->second, 16);
  ASSERT_EQ(trace.events.size(), 2u);
  EXPECT_EQ(trace.events[0].other, 1u);
  EXPECT_EQ(trace.events[0].size, 0u);
  EXPECT_EQ(trace.events[1].other, 2u);
}

TEST(RecordedEvents, AreReadThreadByThread) {
  const std::vector<std::byte> bytes = events_sample();
  const RecordedEvents recorded = read_made(bytes);
  EXPECT_EQ(recorded.lost, 5u);
  EXPECT_FALSE(recorded.damaged);
  EXPECT_EQ(recorded.events(), 5u) << "what is not counted is not there";
  EXPECT_EQ(recorded.names.at(1), "/data/a");
  EXPECT_EQ(recorded.threads.at(2).count, 3u);
}

TEST(RecordedEvents, KnowTheLivesOfThreads) {
  MadeFile file;
  file.add_block(0, {}, 0);  // what a thread had left when it ended
  file.add_block(3,
                 {raw(RawKind::kThreadBegin, 900, 900, intercept::Fn{}, 0),
                  raw(RawKind::kWrite, 1000, 1010, intercept::Fn::pwrite, 1),
                  raw(RawKind::kThreadEnd, 1100, 1100, intercept::Fn{}, 0)},
                 3);
  const std::vector<std::byte> bytes = file.finish();
  const RecordedEvents recorded = read_made(bytes);
  EXPECT_FALSE(recorded.damaged);
  ASSERT_EQ(recorded.threads.size(), 1u) << "nobody is no thread";
  const ThreadTrace trace = trace_of(recorded, recorded.threads.at(3));
  ASSERT_EQ(trace.events.size(), 4u);
  EXPECT_EQ(trace.events.front().kind(), EventKind::kEnter);
  EXPECT_EQ(trace.events.back().kind(), EventKind::kLeave);
  EXPECT_EQ(trace.references.at(trace.events.front().reference()).name, "thread");
  EXPECT_EQ(trace.events.front().reference(), trace.events.back().reference());
}

TEST(RecordedEvents, HaveTheLastNamesOfThreads) {
  MadeFile file;
  file.add_name(2, "first", EntryKind::kThreadName);
  file.add_name(2, "last", EntryKind::kThreadName);
  file.add_name(1, "/a/file");
  const std::vector<std::byte> bytes = file.finish();
  const RecordedEvents recorded = read_made(bytes);
  EXPECT_FALSE(recorded.damaged);
  EXPECT_EQ(recorded.thread_names, (std::map<uint32_t, std::string>{{2, "last"}}));
  EXPECT_EQ(recorded.names.size(), 1u);
}

TEST(RecordedEvents, HaveBothSidesOfACopy) {
  MadeFile file;
  file.add_block(1,
                 {raw(RawKind::kRead, 1000, 1000, intercept::Fn::sendfile, 1),
                  raw(RawKind::kWrite, 1000, 1010, intercept::Fn::sendfile, 2)},
                 2);
  const std::vector<std::byte> bytes = file.finish();
  const RecordedEvents recorded = read_made(bytes);
  const ThreadTrace trace = trace_of(recorded, recorded.threads.at(1));
  ASSERT_EQ(trace.events.size(), 4u);
  const auto name_of = [&](size_t i) { return trace.references[trace.events[i].reference()].name; };
  EXPECT_EQ(name_of(0), "sendfile (source)");
  EXPECT_EQ(name_of(1), "sendfile (source)");
  EXPECT_EQ(name_of(2), "sendfile") << "alone, so that there are as many as were called";
  EXPECT_EQ(trace.references[trace.events[0].reference()].time_class, TimeClass::kRead);
}

TEST(RecordedEvents, AreInTheOrderOfTime) {
  const std::vector<std::byte> bytes = events_sample();
  const RecordedEvents recorded = read_made(bytes);
  const ThreadTrace trace = trace_of(recorded, recorded.threads.at(2));
  ASSERT_EQ(trace.events.size(), 6u);
  std::vector<EventKind> kinds;
  for (size_t i = 0; i < trace.events.size(); ++i) {
    kinds.push_back(trace.events[i].kind());
    EXPECT_LE(trace.events[i == 0 ? 0 : i - 1].time, trace.events[i].time);
  }
  using enum EventKind;
  EXPECT_EQ(kinds, (std::vector{kIoBegin, kIoEnd, kIoBegin, kIoBegin, kIoEnd, kIoEnd}));
  const auto name_of = [&](size_t i) { return trace.references[trace.events[i].reference()].name; };
  EXPECT_EQ(name_of(0), "pwrite");
  EXPECT_EQ(name_of(2), "fsync") << "what began first, though it ended last";
  EXPECT_EQ(name_of(5), "fsync");
  EXPECT_EQ(trace.references[trace.events[3].reference()].time_class, TimeClass::kRead);
  EXPECT_EQ(trace.events[0].size, 100u);
  EXPECT_EQ(trace.events[0].place, 4096u);
  EXPECT_EQ(trace.events[1].size, 90u);
}

TEST(RecordedEvents, HaveRegions) {
  const std::vector<std::byte> bytes = events_sample();
  const RecordedEvents recorded = read_made(bytes);
  const ThreadTrace trace = trace_of(recorded, recorded.threads.at(1));
  ASSERT_EQ(trace.events.size(), 2u);
  EXPECT_EQ(trace.events[0].kind(), EventKind::kEnter);
  EXPECT_EQ(trace.references[0].name, "dump");
  EXPECT_EQ(trace.references[0].layer, "phase");
  EXPECT_EQ(trace.events[1].kind(), EventKind::kCounter);
  EXPECT_EQ(trace.events[1].size, 90u) << "the bits of its value";
  EXPECT_EQ(trace.references[1].kind, "counter");
  EXPECT_EQ(trace.references[1].name, "residual");
}

TEST(RecordedEvents, WithRareValuesAreReadAcrossPieces) {
  const RawEvent rare = rare_write();
  const RawEvent common = raw(RawKind::kRead, 1020, 1030, intercept::Fn::pread, 1);
  MadeFile file;
  file.add_block(1, {common, rare, common, rare, rare}, 8);
  const std::vector<std::byte> bytes = file.finish();
  const RecordedEvents recorded = read_made(bytes);
  const ThreadTrace trace = trace_of(recorded, recorded.threads.at(1));
  EXPECT_EQ(trace.events.size(), 10u);
  EXPECT_EQ(trace.read, 8u);
  uint64_t moved = 0;
  for (const model::Event& event : trace.events)
    if (event.kind() == EventKind::kIoEnd) moved += event.size;
  EXPECT_EQ(moved, 3 * rare.moved + 2 * common.moved);
  EXPECT_FALSE(trace.torn);
}

TEST(RecordedEvents, OfWhichABlockHasHalfAreNone) {
  const RawEvent common = raw(RawKind::kRead, 900, 910, intercept::Fn::pread, 1);
  for (const uint64_t before : {0, 1, 2, 3, 4, 5}) {
    std::vector<RawEvent> made(before, common);
    made.push_back(rare_write());
    MadeFile file;
    file.add_block(1, made, before + 1);
    file.add_block(1, {rare_write(), common}, 3);
    const std::vector<std::byte> bytes = file.finish();
    const RecordedEvents recorded = read_made(bytes);
    const ThreadTrace trace = trace_of(recorded, recorded.threads.at(1));
    EXPECT_EQ(trace.events.size(), 2 * (before + 2));
    EXPECT_EQ(trace.read, recorded.events());
    EXPECT_TRUE(trace.torn);
  }
}

TEST(RecordedEvents, ThatWereNotCommittedAreNone) {
  const RawEvent common = raw(RawKind::kRead, 900, 910, intercept::Fn::pread, 1);
  MadeFile file;
  file.add_block(1, {common, rare_write()}, 1);
  const std::vector<std::byte> bytes = file.finish();
  const RecordedEvents recorded = read_made(bytes);
  const ThreadTrace trace = trace_of(recorded, recorded.threads.at(1));
  EXPECT_EQ(trace.events.size(), 2u);
  EXPECT_FALSE(trace.torn);
}

uint16_t numbered(intercept::LibraryFn function) {
  return static_cast<uint16_t>(static_cast<uint32_t>(function) | kLibraryFunction);
}

RawEvent message(RawKind kind, uint64_t at, uint32_t communicator, uint32_t other, uint64_t bytes, uint64_t place) {
  return {at, at, place, other, bytes, communicator, 0, kind, 0};
}

TEST(RecordedEvents, HaveMessagesInsideTheirCalls) {
  MadeFile file;
  file.add_name(1, "00000000000000aa MPI_Comm_dup of MPI_COMM_WORLD: 2 ranks from 0");
  file.add_name(2, "00000000000000aa halo");
  file.add_name(3, "short");
  RawEvent call = raw(RawKind::kLibrary, 1000, 2000, intercept::Fn{}, 0);
  call.function = kLibraryFunction;
  file.add_block(1,
                 {message(RawKind::kSend, 1000, 1, 1, 8, 3), message(RawKind::kReceive, 2000, 2, 1, 16, 4), call,
                  message(RawKind::kCollective, 3000, 3, model::kNoRoot, 1, 2)},
                 4);
  const std::vector<std::byte> bytes = file.finish();
  const RecordedEvents recorded = read_made(bytes);
  const ThreadTrace trace = trace_of(recorded, recorded.threads.at(1));
  ASSERT_EQ(trace.events.size(), 5u);
  using enum EventKind;
  EXPECT_EQ(trace.events[0].kind(), kEnter);
  EXPECT_EQ(trace.events[1].kind(), kSend) << "recorded before the call, at its begin";
  EXPECT_EQ(trace.events[2].kind(), kReceive);
  EXPECT_EQ(trace.events[3].kind(), kLeave);
  const model::Event &sent = trace.events[1], &received = trace.events[2], &together = trace.events[4];
  EXPECT_EQ((std::array<uint64_t, 3>{sent.other, sent.size, sent.place}), (std::array<uint64_t, 3>{1, 8, 3}));
  const events::Reference& over = trace.references[sent.reference()];
  EXPECT_EQ(over.kind, "communicator");
  EXPECT_EQ(over.name, "halo") << "the last name that it had";
  EXPECT_EQ(trace.references[received.reference()].id, over.id) << "whatever it was called";
  EXPECT_EQ(together.other, model::kNoRoot);
  EXPECT_EQ(trace.references[together.reference()].name, "communicator 3") << "a text that names none";
}

TEST(RecordedEvents, HaveCallsOfLibrariesOnFiles) {
  RawEvent write = raw(RawKind::kLibrary, 1000, 2000, intercept::Fn{}, 7), put = write, rest = write;
  write.function = rest.function = numbered(intercept::LibraryFn::MPI_File_write_at);
  write.place = 4096, write.asked = 80, write.moved = 72, write.error = kUnknownError;
  rest.kind = RawKind::kLibraryEnd;
  put.function = numbered(intercept::LibraryFn::MPI_Put);
  put.moved = 8;
  MadeFile file;
  file.add_block(1, {write, put, rest}, 3);
  const std::vector<std::byte> bytes = file.finish();
  RecordedEvents recorded = read_made(bytes);
  recorded.open[1] = {{500, 1, numbered(intercept::LibraryFn::MPI_File_write_at)}};
  const ThreadTrace trace = trace_of(recorded, recorded.threads.at(1), recorded.open[1]);
  ASSERT_EQ(trace.events.size(), 6u);
  using enum EventKind;
  EXPECT_EQ(trace.events[0].kind(), kIoBegin) << "what a flush found open";
  EXPECT_EQ(trace.events[0].place, model::kUnknownPlace);
  const model::Event &begin = trace.events[1], &end = trace.events[3];
  EXPECT_EQ(begin.kind(), kIoBegin);
  EXPECT_EQ((std::array<uint64_t, 3>{begin.other, begin.size, begin.place}), (std::array<uint64_t, 3>{7, 80, 4096}));
  EXPECT_EQ(end.kind(), kIoEnd);
  EXPECT_EQ((std::array<uint64_t, 3>{end.other, end.size, end.place}), (std::array<uint64_t, 3>{7, 72, kUnknownError}));
  EXPECT_EQ(trace.references[begin.reference()].layer, "mpiio");
  EXPECT_EQ(trace.references[begin.reference()].kind, "function");
  EXPECT_EQ(trace.events[4].kind(), kLeave);
  EXPECT_EQ(trace.events[4].other, 7u) << "the rank that is reached, plus 1";
  EXPECT_EQ(trace.events[5].kind(), kIoEnd);
}

TEST(RecordedEvents, GoOnBehindThoseThatAreStored) {
  RecordedEvents recorded;
  recorded.open[1] = {{500, 1, 2 | kLibraryFunction}};
  RecordedThread inside;
  inside.behind = {raw(RawKind::kWrite, 600, 700, intercept::Fn::pwrite, 1)};
  const ThreadTrace first = trace_of(recorded, inside, recorded.open[1]);
  ASSERT_EQ(first.events.size(), 3u);
  EXPECT_EQ(first.events[0].kind(), EventKind::kEnter) << "the call that is open, though not over";
  EXPECT_EQ(first.moved, 0u);
  RecordedThread rest;
  rest.behind = {raw(RawKind::kLibraryEnd, 500, 800, intercept::Fn{}, 0)};
  rest.behind[0].function = 2 | kLibraryFunction;
  rest.behind.push_back(raw(RawKind::kWrite, 650, 900, intercept::Fn::write, 1));  // around what is stored, not told
  const ThreadTrace second = trace_of(recorded, rest, {}, first.events.back().time);
  ASSERT_EQ(second.events.size(), 3u);
  EXPECT_EQ(second.events[1].kind(), EventKind::kLeave);
  EXPECT_EQ(second.moved, 1u);
  EXPECT_EQ(second.events[0].time, first.events.back().time);
}

TEST(RecordedEvents, AreNotCopiedAgainForEachPiece) {
  const RecordedEvents recorded;
  events::Meanings meanings;
  const ClockMap clock = clock_of_ns();
  EventConverter converter(recorded, clock, meanings);
  const std::vector<RawEvent> piece(kRawPiece, raw(RawKind::kWrite, 1000, 1010, intercept::Fn::pwrite, 1));
  std::vector<model::Event> waiting;  // as for a call that they are all inside of
  size_t moves = 0;
  for (size_t i = 0; i < 250; ++i) {
    const size_t room = waiting.capacity();
    converter.convert(piece, waiting);
    moves += waiting.capacity() != room ? 1 : 0;
  }
  EXPECT_EQ(waiting.size(), 2 * 250 * kRawPiece);
  EXPECT_LT(moves, 64u) << "of a million events";
}

/// Writes one behind the other, at 1000, 1001 and so on.
std::vector<RawEvent> writes(uint64_t count) {
  std::vector<RawEvent> made;
  for (uint64_t i = 0; i < count; ++i)
    made.push_back(raw(RawKind::kWrite, 1000 + i, 1000 + i, intercept::Fn::pwrite, 1));
  return made;
}

TEST(RecordedEvents, OfCallsThatBeganInAnEarlierFileMakeNothingWait) {
  constexpr uint64_t kCount = 20 * events::kMostEvents;
  std::vector<RawEvent> made = writes(kCount);
  made.push_back(raw(RawKind::kLibraryEnd, 600, 1000 + kCount, intercept::Fn{}, 0));
  made.back().function = 2 | kLibraryFunction;
  MadeFile file;
  file.add_block(1, made, made.size());
  const std::vector<std::byte> bytes = file.finish();
  const RecordedEvents recorded = read_made(bytes);
  events::Meanings meanings;
  const ClockMap clock = clock_of_ns();
  EventConverter converter(recorded, clock, meanings);
  ThreadEvents in_parts(recorded, recorded.threads.at(1), 0, clock, converter, {}, 0);
  size_t most = 0, sum = 0;
  for (auto some = in_parts.next(); !some.empty(); some = in_parts.next()) {
    most = std::max(most, some.size());
    sum += some.size();
  }
  EXPECT_EQ(sum, 2 * kCount + 1);
  EXPECT_LT(most, 4 * events::kMostEvents);
}

TEST(RecordedEvents, OfDamagedFilesAreReadAsFarAsTheyGo) {
  const std::vector<std::byte> whole = events_sample();
  for (size_t length = 0; length < whole.size(); length += 8) {
    const RecordedEvents recorded = read_events(EventBytes(std::span(whole).first(length)));
    EXPECT_LE(recorded.events(), 5u);
  }
  for (uint64_t round = 0; round < 3000; ++round) {
    std::vector<std::byte> damaged = whole;
    for (uint64_t i = 0; i < 3; ++i)
      damaged[base::mix(round, i) % damaged.size()] = static_cast<std::byte>(base::mix(round, i + 10));
    const RecordedEvents recorded = read_made(damaged);
    EXPECT_LE(recorded.events(), whole.size() / sizeof(PackedEvent));
    for (const auto& [thread, events] : recorded.threads) (void)trace_of(recorded, events, 2 + round % 4);
  }
}

TEST(RecordedEvents, OfDamagedPlacesAreNoMoreThanThereAre) {
  MadeFile file;
  file.add_block(1, {rare_write(), raw(RawKind::kRead, 900, 910, intercept::Fn::pread, 1), rare_write()}, 5);
  const std::vector<std::byte> whole = file.finish();
  for (uint64_t round = 0; round < 3000; ++round) {
    std::vector<std::byte> damaged = whole;
    for (uint64_t i = 0; i < 3; ++i) {
      const size_t at = sizeof(EventFileHeader) + sizeof(EventBlock) + base::mix(round, i) % (5 * sizeof(PackedEvent));
      damaged[at] = i == 0 && round % 2 == 0 ? std::byte{255} : static_cast<std::byte>(base::mix(round, i + 10));
    }
    const RecordedEvents recorded = read_made(damaged);
    const ThreadTrace trace = trace_of(recorded, recorded.threads.at(1), 2 + round % 4);
    EXPECT_EQ(trace.read, 5u);
    EXPECT_LE(trace.events.size(), 10u);
    EXPECT_GE(trace.events.size(), 2u);
  }
}

TEST(RecordedEvents, HaveNoNamesThatNoRecorderWrites) {
  MadeFile file;
  file.add_name(1, std::string(kLongestText, 'a'));
  file.add_name(2, std::string(kLongestText + 1, 'b'));  // a hole of gigabytes is such a text too
  file.add_name(3, "/data/c");
  const std::vector<std::byte> bytes = file.finish();
  const RecordedEvents recorded = read_made(bytes);
  EXPECT_TRUE(recorded.damaged);
  EXPECT_EQ(recorded.names.size(), 2u);
  EXPECT_EQ(recorded.names.at(1).size(), kLongestText);
  EXPECT_EQ(recorded.names.at(3), "/data/c");
}

TEST(RecordedEvents, ThatAreCutWhileTheyAreReadAreCounted) {
  MadeFile made;
  made.add_block(1, std::vector<RawEvent>(8, raw(RawKind::kWrite, 1000, 1010, intercept::Fn::pwrite, 1)), 8);
  made.add_block(1, std::vector<RawEvent>(8, raw(RawKind::kWrite, 2000, 2010, intercept::Fn::pwrite, 1)), 8);
  const std::vector<std::byte> bytes = made.finish();
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(std::fwrite(bytes.data(), 1, bytes.size(), file), bytes.size());
  ASSERT_EQ(std::fflush(file), 0);
  const RecordedEvents recorded = read_events(EventBytes(fileno(file), bytes.size()));
  EXPECT_FALSE(recorded.damaged);
  EXPECT_EQ(recorded.events(), 16u);
  ASSERT_EQ(ftruncate(fileno(file), static_cast<off_t>(bytes.size() - sizeof(PackedEvent))), 0);
  const ThreadTrace trace = trace_of(recorded, recorded.threads.at(1), 3);
  EXPECT_EQ(trace.read, 14u) << "the piece that is not whole is left out";
  EXPECT_EQ(trace.events.size(), 28u);
  std::fclose(file);
}

}  // namespace
}  // namespace headrace::capture
