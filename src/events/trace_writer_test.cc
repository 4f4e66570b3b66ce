// A trace holds what was added: each location's events in order, and what their references and handles are.

#include "events/trace_writer.h"

#include <gtest/gtest.h>

#include "base/hash.h"
#include "events/decode.h"
#include "events/event_chunk.h"
#include "events/made_streams.h"
#include "format/reader.h"

namespace headrace::events {
namespace {

using model::Event;
using model::EventKind;

std::vector<Reference> references(size_t count) {
  std::vector<Reference> made;
  for (size_t i = 0; i < count; ++i) {
    const std::string name = "call" + std::to_string(i);
    made.push_back({base::hash_text("function posix " + name), "function", "posix", name, model::TimeClass::kWrite});
  }
  return made;
}

std::vector<format::ChunkInfo> event_chunks(const format::Reader& reader) {
  std::vector<format::ChunkInfo> found;
  for (const format::ChunkInfo& chunk : reader.chunks())
    if (chunk.header.kind == kEventsKind) found.push_back(chunk);
  return found;
}

class TraceWriterTest : public testing::Test {
 protected:
  TraceWriter open() { return TraceWriter::open(std::make_unique<format::MemorySink>(bytes_), 77).value(); }
  format::Reader reader() { return format::Reader::open_memory(bytes_).value(); }

  /// Decodes a chunk; references count in the chunk's list.
  std::vector<Event> decode(const format::ChunkInfo& info) {
    const std::vector<uint8_t> payload = *reader().payload(info);
    std::vector<Event> events(info.header.rows);
    EXPECT_TRUE(decoder_.decode(*take_apart(payload), events).ok());
    return events;
  }

  std::vector<uint8_t> bytes_;
  EventDecoder decoder_;
};

TEST_F(TraceWriterTest, SplitsALocationIntoChunksInOrder) {
  const std::vector<Event> events = MadeStream::s3d(2 * kMostEvents + 5);
  TraceWriter writer = open();
  ASSERT_TRUE(writer.add({.process = 9, .thread = 1, .rank = 3}, events, references(200)).ok());
  ASSERT_TRUE(writer.add({.process = 10, .thread = 2}, std::span(events).first(1), references(200)).ok());
  EXPECT_EQ(writer.events(), events.size() + 1);
  ASSERT_TRUE(writer.close().ok());
  EXPECT_EQ(writer.bytes(), bytes_.size());
  EXPECT_TRUE(reader().closed());
  const std::vector<format::ChunkInfo> chunks = event_chunks(reader());
  ASSERT_EQ(chunks.size(), 4u);
  for (size_t i = 0; i < 3; ++i) {
    const format::ChunkHeader& header = chunks[i].header;
    const std::span<const Event> part = std::span(events).subspan(i * kMostEvents).first(header.rows);
    EXPECT_EQ(header.producer, (format::Producer{9, 3, 1}));
    EXPECT_EQ(header.sequence, i);
    EXPECT_EQ(header.job, 77u);
    EXPECT_EQ(header.begin_at_ns, part.front().time);
    EXPECT_EQ(header.end_at_ns, part.back().time);
    EXPECT_EQ(header.raw_length, header.stored_length);
    const std::vector<Event> decoded = decode(chunks[i]);
    for (size_t k = 0; k < part.size(); ++k) ASSERT_EQ(decoded[k].time, part[k].time);
  }
  EXPECT_EQ(chunks[2].header.rows, 5u);
  EXPECT_EQ(chunks[3].header.producer, (format::Producer{10, 0xffffffff, 2}));
}

TEST_F(TraceWriterTest, KeepsTimesInTicks) {
  const std::vector<Event> events{{1000, 0, 0, 0, 0}, {7, 0, 0, 0, 0}, {~uint64_t{0}, 0, 0, 0, 0}};
  TraceWriter writer = open();
  ASSERT_TRUE(writer.add({.process = 1, .thread = 1}, events, references(1), 4).ok());
  ASSERT_TRUE(writer.close().ok());
  const format::ChunkInfo chunk = event_chunks(reader()).at(0);
  EXPECT_EQ(chunk.header.begin_at_ns, 0u);
  EXPECT_EQ(chunk.header.end_at_ns, ~uint64_t{15});
  EXPECT_EQ(decode(chunk)[0].time, 62u);
}

TEST_F(TraceWriterTest, WritesEachReferenceOnceAndWhatLocationsAre) {
  TraceWriter writer = open();
  const std::vector<Event> events = MadeStream::regular(20);
  ASSERT_TRUE(writer
                  .add({.process = 1, .thread = 1, .rank = 0, .host = "a", .process_id = 50, .lost = 7}, events,
                       references(200))
                  .ok());
  ASSERT_TRUE(writer.add({.process = 2, .thread = 1, .host = "b"}, {}, references(201)).ok());
  ASSERT_TRUE(writer.add(std::vector<Handle>{{1, 1, "/tmp/x"}, {1, 2, "/tmp/y"}}).ok());
  ASSERT_TRUE(writer.add_facts({{"start_utc_ns", "5"}}).ok());
  ASSERT_TRUE(writer.close().ok());
  const format::Table named = *reader().table("references"), located = *reader().table("locations");
  EXPECT_EQ(named.rows, 201u);
  EXPECT_EQ(named.find("class")->text(200), "write");
  EXPECT_EQ(named.find("name")->text(3), "call3");
  ASSERT_EQ(located.rows, 2u);
  EXPECT_EQ(located.find("rank")->i64(1), -1);
  EXPECT_EQ(located.find("events")->u64(0), 20u);
  EXPECT_EQ(located.find("lost")->u64(0), 7u);
  EXPECT_EQ(located.find("host")->text(1), "b");
  EXPECT_EQ(reader().table("handles")->find("name")->text(1), "/tmp/y");
  EXPECT_EQ(reader().table("job")->find("value")->text(0), "5");
}

TEST_F(TraceWriterTest, LeavesEventsThatCanBeReadWhenItIsKilled) {
  TraceWriter writer = open();
  ASSERT_TRUE(writer.add({.process = 1, .thread = 1}, MadeStream::regular(20), references(200)).ok());
  EXPECT_EQ(event_chunks(reader()).size(), 1u);
  EXPECT_EQ(reader().table("references")->rows, 200u);
  EXPECT_FALSE(reader().closed());
}

TEST_F(TraceWriterTest, RefusesWhatItCannotKeep) {
  TraceWriter writer = open();
  const std::vector<Event> events{{1, 0, 0, model::kind_and_reference(EventKind::kEnter, 1), 0}};
  EXPECT_EQ(writer.add({}, events, references(1)).code(), base::Code::kInvalid);
  EXPECT_EQ(writer.add({}, events, references(2), 21).code(), base::Code::kInvalid);
  ASSERT_TRUE(writer.close().ok());
  EXPECT_EQ(reader().chunks().size(), 0u);
  EXPECT_EQ(writer.add({}, events, references(2)).code(), base::Code::kInvalid);
}

TEST_F(TraceWriterTest, GoesOnBehindWhatIsThere) {
  TraceWriter writer = open();
  const Location location{5, 1, 0, "host", 10};
  const std::vector<Reference> known = references(2);
  Continuation at;
  const auto event = [](uint64_t time, EventKind kind, uint32_t reference) {
    return Event{time, 0, 0, model::kind_and_reference(kind, reference), 0};
  };
  const std::vector<Event> first = {event(1, EventKind::kEnter, 1), event(2, EventKind::kIoBegin, 0),
                                    event(3, EventKind::kIoEnd, 0)};
  ASSERT_TRUE(writer.append(location, at, first, known).ok());
  EXPECT_EQ(at.sequence, 1u);
  EXPECT_EQ(at.latest, 3u);
  ASSERT_EQ(at.open.size(), 1u);
  EXPECT_EQ(at.open[0].first, known[1].id);
  ASSERT_TRUE(writer.append(location, at, {}, {}).ok());
  ASSERT_TRUE(
      writer.append(location, at, std::vector<Event>{event(4, EventKind::kIoBegin, 0)}, {known.data(), 1}).ok());
  EXPECT_EQ(at.open.size(), 2u);
  ASSERT_TRUE(writer.add_row(location, at.events).ok());
  ASSERT_TRUE(writer.close().ok());
  format::Reader file = reader();
  const auto chunks = event_chunks(file);
  ASSERT_EQ(chunks.size(), 2u);
  const auto payload = file.payload(chunks[1]);
  const auto second = take_apart(*payload);
  ASSERT_TRUE(second.ok());
  ASSERT_EQ(second->open.size(), 1u);
  EXPECT_EQ(second->references[second->open[0]], known[1].id) << "also where the new events do not name it";
  EXPECT_EQ(file.table("locations")->find("events")->u64(0), 4u);
}

}  // namespace
}  // namespace headrace::events
