// Bytes by process and path: of calls on files alone, however many handles a path has.

#include "events/file_totals.h"

#include <gtest/gtest.h>

#include "events/made_trace.h"

namespace headrace::events {
namespace {

using enum model::EventKind;
using model::TimeClass;

TEST(FileTotals, AreByProcessAndPath) {
  MadeTrace made;
  const uint32_t read = made.reference("function", "read", TimeClass::kRead);
  const uint32_t write = made.reference("function", "write", TimeClass::kWrite);
  const uint32_t library = made.reference("function", "MPI_File_write", TimeClass::kWrite, "mpiio");
  const std::vector<Handle> handles{{1, 7, "/a"}, {1, 8, "/a"}, {2, 7, "/b"}};
  ASSERT_TRUE(made.writer().add(handles).ok());
  made.add({.process = 1, .thread = 1},
           {event(1, kIoBegin, library, 7), event(2, kIoBegin, read, 7, 10), event(3, kIoEnd, read, 7, 5),
            event(4, kIoBegin, write, 8, 10), event(5, kIoEnd, write, 8, 10), event(6, kIoEnd, library, 7, 99),
            event(7, kIoBegin, read, 0, 3), event(8, kIoEnd, read, 0, 3), event(9, kIoBegin, read, 7, 1)});
  made.add({.process = 1, .thread = 2}, {event(2, kIoBegin, read, 8, 2), event(3, kIoEnd, read, 8, 2)});
  made.add({.process = 2, .thread = 1}, {event(2, kIoBegin, write, 7, 1), event(3, kIoEnd, write, 7, 1)});
  TraceReader reader = made.finish();
  const std::vector<FileTotals> totals = *file_totals(reader);
  ASSERT_EQ(totals.size(), 3u);
  EXPECT_EQ(totals[0].path, "") << "what no file is known of";
  EXPECT_EQ(totals[0].bytes_read, 3u);
  EXPECT_EQ(totals[1].path, "/a");
  EXPECT_EQ(totals[1].bytes_read, 7u) << "of both threads and handles, and not what was asked for";
  EXPECT_EQ(totals[1].bytes_written, 10u) << "once, though a library wrote it";
  EXPECT_EQ(totals[2].process, 2u);
  EXPECT_EQ(totals[2].bytes_written, 1u);
}

}  // namespace
}  // namespace headrace::events
