#include "format/room.h"

#include <gtest/gtest.h>

#include "format/reader.h"
#include "format/writer.h"

namespace headrace::format {
namespace {

using Log = std::vector<uint8_t>;

Log rows(const char* table, uint64_t count) {
  Log bytes;
  const std::vector<uint64_t> numbers(count, 7);
  auto writer = Writer::open(std::make_unique<MemorySink>(bytes), {.job = 9});
  EXPECT_TRUE(writer->add(TableBuilder(table).u64("seven", numbers)).ok());
  EXPECT_TRUE(writer->close().ok());
  return bytes;
}

void append(Log& log, const Log& bytes) { log.insert(log.end(), bytes.begin(), bytes.end()); }

/// A log with a room for `inside`, all of it written, and not open.
Log with_room(const Log& before, const Log& inside) {
  Log log = before;
  append(log, room_mark(9, inside.size()));
  append(log, inside);
  append(log, room_mark(9, 0));
  return log;
}

void open_room(Log& log, size_t before, size_t inside) {
  const Log mark = room_mark(9, 0);
  std::copy(mark.begin(), mark.end(), log.begin() + static_cast<ptrdiff_t>(before));
  const size_t end = before + kRoomMarkSize + inside;
  const auto tail = tail_behind(std::span(log).subspan(end - kRoomMarkSize, kRoomMarkSize));
  ASSERT_TRUE(tail.ok()) << tail.message();
  std::copy(tail->begin(), tail->end(), log.begin() + static_cast<ptrdiff_t>(end));
}

uint64_t rows_of(const Log& log, const char* table) {
  auto reader = Reader::open_memory(log, "log");
  EXPECT_TRUE(reader.ok()) << reader.message();
  EXPECT_TRUE(reader->damage().empty());
  const auto found = reader->table(table);
  return found.ok() ? found->rows : 0;
}

TEST(Room, CountsOnlyWhenOpen) {
  const Log first = rows("first", 2), second = rows("second", 3), third = rows("third", 4);
  Log inside = second;
  append(inside, rows("more", 5));
  for (const bool followed : {false, true}) {
    Log log = with_room(first, inside);
    if (followed) append(log, third);
    EXPECT_EQ(rows_of(log, "first"), 2u);
    EXPECT_EQ(rows_of(log, "second"), 0u);
    EXPECT_EQ(rows_of(log, "more"), 0u);
    EXPECT_EQ(rows_of(log, "third"), followed ? 4u : 0u);
    open_room(log, first.size(), inside.size());
    EXPECT_EQ(rows_of(log, "first"), 2u);
    EXPECT_EQ(rows_of(log, "second"), 3u);
    EXPECT_EQ(rows_of(log, "more"), 5u);
    EXPECT_EQ(rows_of(log, "third"), followed ? 4u : 0u);
  }
}

TEST(Room, MayHaveBeenLeftEmptyOrHalfWritten) {
  const Log first = rows("first", 2), second = rows("second", 3);
  for (size_t written = 0; written <= second.size(); written += 7) {
    Log inside = second;
    std::fill(inside.begin() + static_cast<ptrdiff_t>(written), inside.end(), uint8_t{0});
    Log log = with_room(first, inside);
    append(log, rows("third", 4));
    EXPECT_EQ(rows_of(log, "second"), 0u);
    EXPECT_EQ(rows_of(log, "third"), 4u);
  }
}

TEST(Room, CanBeWhereTheFileEnds) {
  const Log first = rows("first", 2), log = with_room(first, rows("second", 3));
  for (size_t size = first.size() + kRoomMarkSize; size <= log.size(); ++size) {
    const Log cut(log.begin(), log.begin() + static_cast<ptrdiff_t>(size));
    auto reader = Reader::open_memory(cut, "log");
    ASSERT_TRUE(reader.ok());
    if (size != log.size() - kRoomMarkSize) {  // where the last index of the room ends
      EXPECT_EQ(reader->tables().size(), 1u) << size;
    }
  }
}

TEST(Room, OpensAlsoWithoutAnIndexAtItsEnd) {
  const Log first = rows("first", 2);
  Log inside = rows("second", 3);
  inside.resize(inside.size() - kRoomMarkSize);
  EXPECT_EQ(tail_behind(std::span(inside).last(kRoomMarkSize)).code(), base::Code::kForeign);
  Log log = with_room(first, inside);
  const Log mark = room_mark(9, 0);
  std::copy(mark.begin(), mark.end(), log.begin() + static_cast<ptrdiff_t>(first.size()));
  EXPECT_EQ(rows_of(log, "second"), 3u);
}

TEST(Room, SaysNothingImpossible) {
  const Log first = rows("first", 2);
  Log log = first;
  append(log, room_mark(9, ~uint64_t{0}));
  append(log, rows("second", 3));
  EXPECT_EQ(Reader::open_memory(log, "log")->tables().size(), 2u) << "the index behind it is found from the end";
  log.resize(log.size() - 1);
  EXPECT_EQ(Reader::open_memory(log, "log")->tables().size(), 1u);
}

}  // namespace
}  // namespace headrace::format
