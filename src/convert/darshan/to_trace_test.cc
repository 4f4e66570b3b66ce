// Traced operations of a job log become the events of a trace, nested and in order, whatever they are.

#include "convert/darshan/to_trace.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "convert/table_maker.h"
#include "events/trace_check.h"
#include "events/trace_rows.h"
#include "format/sink.h"

namespace headrace::convert::darshan {
namespace {

struct Segment {
  uint64_t begin, end;
  int64_t offset;
  uint64_t bytes;
  bool writes = true;
  uint64_t thread = 0;
  const char* layer = "posix";
  uint64_t process = 5;
};

class ToTraceTest : public testing::Test {
 protected:
  void make(const std::vector<Segment>& segments) {
    TableMaker table("segments"), names("names"), files("files"), processes("processes");
    auto &process = table.u64("process"), &record = table.u64("record"), &begin = table.u64("start_at_ns"),
         &end = table.u64("end_at_ns"), &bytes = table.u64("bytes"), &thread = table.u64("thread");
    auto& offset = table.i64("offset");
    auto &layer = table.text("layer"), &direction = table.text("direction");
    for (const Segment& each : segments) {
      process.add(each.process);
      record.add(uint64_t{77});
      begin.add(each.begin);
      end.add(each.end);
      bytes.add(each.bytes);
      thread.add(each.thread);
      offset.add(each.offset);
      layer.add(each.layer);
      direction.add(each.writes ? "write" : "read");
    }
    keep(table);
    names.u64("name").add(uint64_t{3});
    names.text("text").add("/data/out");
    keep(names);
    auto& path = files.u64("path");
    path.add(uint64_t{3});
    files.u64("record").add(uint64_t{77});
    files.u64("reads").add(uint64_t{2});
    files.u64("writes").add(uint64_t{9});
    files.text("layer").add("posix");
    files.text("kind").add("file");
    keep(files);
    auto &id = processes.u64("process"), &pid = processes.u64("pid");
    auto& rank = processes.i64("rank");
    auto& host = processes.text("host");
    for (const uint64_t each : {5, 6}) {
      id.add(each);
      pid.add(100 + each);
      rank.add(static_cast<int64_t>(each) - 5);
      host.add("n1");
    }
    keep(processes);
  }

  void keep(TableMaker& maker) {
    format::Table table = maker.finish();
    const std::string name = table.name;
    tables_[name] = std::make_shared<const format::Table>(std::move(table));
  }

  base::Result<Traced> write() {
    bytes_.clear();
    return write_trace([&](const std::string& name) { return tables_.contains(name) ? tables_[name] : nullptr; },
                       std::make_unique<format::MemorySink>(bytes_));
  }

  std::map<std::string, std::shared_ptr<const format::Table>> tables_;
  std::vector<uint8_t> bytes_;
};

TEST_F(ToTraceTest, OperationsKeepWhatTheyHave) {
  make({{10, 30, 4096, 100}, {40, 45, -1, 7, false}, {5, 50, 4096, 100, true, 0, "mpiio"}});
  const Traced traced = *write();
  EXPECT_EQ(traced.operations, 3u);
  EXPECT_EQ(traced.lanes, 0u);
  EXPECT_EQ(traced.untraced, 9u) << "11 of posix are counted";
  events::TraceReader reader = events::TraceReader::open_memory(bytes_).value();
  ASSERT_EQ(reader.locations().size(), 2u);
  EXPECT_EQ(reader.locations()[0].what.rank, 0);
  EXPECT_EQ(reader.locations()[0].what.process_id, 105u);
  EXPECT_EQ(reader.locations()[1].events, 0u) << "a rank that did nothing";
  events::RowCursor rows(reader, reader.locations()[0], {});
  const events::TraceRow outer = **rows.next(), first = **rows.next(), second = **rows.next();
  EXPECT_EQ(reader.references()[outer.event.reference()].layer, "mpiio");
  EXPECT_EQ(outer.duration_ns, 45u);
  EXPECT_EQ(first.event.place, 4096u);
  EXPECT_EQ(first.event.size, 100u);
  EXPECT_EQ(first.moved, 100u);
  EXPECT_EQ(reader.handle(5, first.event.other), "/data/out");
  EXPECT_EQ(second.event.place, model::kUnknownPlace);
  EXPECT_EQ(reader.references()[second.event.reference()].time_class, model::TimeClass::kRead);
}

TEST_F(ToTraceTest, WhatOverlapsStandsInThreadsOfItsOwn) {
  make({{0, 10, 0, 1}, {5, 15, 0, 1}, {12, 20, 0, 1}, {1, 2, 0, 1, true, 9}, {30, 29, 0, 1}});
  const Traced traced = *write();
  EXPECT_EQ(traced.lanes, 1u);
  EXPECT_EQ(traced.backward, 1u);
  events::TraceReader reader = events::TraceReader::open_memory(bytes_).value();
  ASSERT_EQ(reader.locations().size(), 4u) << "two lanes, thread 9, the other rank";
  EXPECT_EQ(reader.locations()[2].what.thread, 3u);
}

TEST_F(ToTraceTest, WithoutOperationsThereIsNoTrace) {
  make({});
  EXPECT_EQ(write().code(), base::Code::kInvalid);
}

TEST_F(ToTraceTest, AnyOperationsMakeASoundTrace) {
  std::mt19937_64 chance(20261123);
  for (int round = 0; round < 50; ++round) {
    std::vector<Segment> segments;
    for (size_t i = 0, count = 1 + chance() % 400; i < count; ++i) {
      const uint64_t begin = chance() % 1000;
      segments.push_back({begin, begin + chance() % 300 - chance() % 2, static_cast<int64_t>(chance() % 9) - 1, i,
                          chance() % 2 == 0, chance() % 3, chance() % 2 ? "posix" : "mpiio", 5 + chance() % 3});
    }
    make(segments);
    const Traced traced = *write();
    EXPECT_EQ(traced.operations + traced.left_out, segments.size());
    events::TraceReader reader = events::TraceReader::open_memory(bytes_).value();
    const events::TraceChecks checks = *events::check(reader);
    EXPECT_EQ(checks.events, 2 * traced.operations);
    EXPECT_EQ(checks.unbalanced + checks.backward + checks.unfinished + checks.nameless, 0u);
  }
}

}  // namespace
}  // namespace headrace::convert::darshan
