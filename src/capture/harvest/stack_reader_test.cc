#include "capture/harvest/stack_reader.h"

#include <gtest/gtest.h>

#include <map>

#include "capture/harvest/spool_builder.h"
#include "capture/harvest/spool_reader.h"

namespace headrace::capture {
namespace {

constexpr uint64_t frame(uint64_t module, uint64_t offset) { return module << kModuleShift | offset; }

struct Sink : RecordSink {
  void record(const model::FileRecord& record) override { by_path[record.path] = record; }
  std::map<std::string, model::FileRecord> by_path;
};

struct StackReading {
  explicit StackReading(std::vector<std::byte> spool) : bytes(std::move(spool)) {
    const Moment start{900'000'000, 900'000'000, 1'700'000'000'000'000'000, 900'000'000};
    const Moment now{3'000'000'000, 3'000'000'000, 1'700'000'002'100'000'000, 3'000'000'000};
    auto result = read_spool(bytes, "1.spool", start, now, sink);
    EXPECT_TRUE(result.ok());
    if (result.ok()) contents = *std::move(result);
  }
  uint64_t gap(const std::string& what) const {
    for (const model::Gap& each : contents.gaps)
      if (each.what == what) return each.amount;
    return 0;
  }
  /// The stack of a file's site; 0: it has none of that kind.
  uint64_t stack(const std::string& path, std::string_view what = "open") {
    for (const model::CallSite& site : sink.by_path[path].call_sites)
      if (site.what == what) return site.stack;
    return 0;
  }
  std::vector<std::byte> bytes;
  Sink sink;
  SpoolContents contents;
};

/// A program and a library whose numbers are as the process happened to meet them.
struct Program {
  SpoolBuilder b;
  explicit Program(uint16_t program, uint16_t library) {
    b.header().executable = b.name("/home/me/program");
    b.some_stack();
    b.header().first_module = b.header().first_stack = 0;
    b.module(program, "", "\x01\xff");
    b.module(library, "/usr/lib/libc.so.6", "0123456789");
    record = b.record("/data/a");
    b.at<Record>(record).open_stack = stack = b.stack({frame(program, 0x10), frame(library, 0x20), frame(0, 0x30)});
  }
  uint32_t record, stack;
};

TEST(StackReader, StacksMeanTheSameInEveryProcess) {
  Program one(1, 2), other(7, 3);
  StackReading first(one.b.finish()), second(other.b.finish());
  EXPECT_NE(first.stack("/data/a"), 0u);
  EXPECT_EQ(first.stack("/data/a"), second.stack("/data/a"));
  ASSERT_EQ(first.contents.stacks.size(), 1u);
  const model::Stack& stack = first.contents.stacks[0];
  ASSERT_EQ(stack.frames.size(), 3u);
  EXPECT_EQ(stack.frames[0].module, model::module_id("/home/me/program", "01ff"));
  EXPECT_EQ(stack.frames[0].offset, 0x10u);
  EXPECT_EQ(stack.frames[1].module, model::module_id("/usr/lib/libc.so.6", "30313233343536373839"));
  EXPECT_EQ(stack.frames[2].module, 0u);
  EXPECT_EQ(first.gap("damaged spool"), 0u);
  EXPECT_EQ(first.gap("call sites"), 0u);
}

TEST(StackReader, OperationsThatStandOut) {
  Program p(1, 2);
  Sites& sites = p.b.at<Sites>(p.b.sites(p.record));
  sites.of[uint32_t{Sites::kSlowest} + kRead] = {500, 1'500'000'000, 64, p.stack, 0};
  sites.of[uint32_t{Sites::kLargest} + kWrite] = {5, 1'600'000'000, 4096, kBusyStack, 0};  // killed while it changed
  StackReading r(p.b.finish());
  const auto& found = r.sink.by_path["/data/a"].call_sites;
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1], (model::CallSite{"slowest_read", r.stack("/data/a"), 64, 500, 600'000'000}));
}

TEST(StackReader, FilesWithoutAStackAreCounted) {
  Program p(1, 2);
  for (const uint32_t stack : {0u, kLostStack, 1u << 30}) {
    const uint32_t record = p.b.record("/data/" + std::to_string(stack));
    p.b.at<Record>(record).open_stack = stack;
    p.b.at<Shard>(p.b.shard(record)).opens = 1;
  }
  p.b.at<Record>(p.b.record("/data/unopened")).open_stack = 0;
  p.b.header().folded_sites = 5;
  StackReading r(p.b.finish());
  EXPECT_EQ(r.gap("call sites"), 8u);
  EXPECT_EQ(r.gap("damaged spool"), 0u);
}

/// What is scribbled over is said, and the rest is read.
void expect_damage(Program& p, bool stack_lost) {
  StackReading r(p.b.finish());
  EXPECT_NE(r.gap("damaged spool"), 0u);
  EXPECT_EQ(r.stack("/data/a") == 0, stack_lost);
  EXPECT_EQ(r.sink.by_path.count("/data/a"), 1u);
}

TEST(StackReader, DamagedStacks) {
  for (const uint16_t depth : {0, 65, 0xffff}) {
    Program p(1, 2);
    p.b.at<Stack>(p.stack).depth = depth;
    expect_damage(p, true);
  }
  Program cycle(1, 2);
  cycle.b.at<Stack>(cycle.stack).next = cycle.stack;
  expect_damage(cycle, false);
  Program unknown(1, 2);
  unknown.b.at<Record>(unknown.record).open_stack = unknown.b.stack({frame(9, 1)});
  expect_damage(unknown, true);
  Program outside(1, 2);
  outside.b.header().first_stack = 0x7fffffc0;
  expect_damage(outside, true);
}

TEST(StackReader, DamagedModules) {
  Program cycle(1, 2);
  cycle.b.at<Module>(cycle.b.header().first_module).next = cycle.b.header().first_module;
  expect_damage(cycle, true);  // the program's own module is behind the cycle
  Program length(1, 2);
  length.b.at<Module>(length.b.header().first_module).build_id_length = 37;
  expect_damage(length, true);
  Program number(1, 2);
  number.b.at<Module>(number.b.header().first_module).id = 0;
  expect_damage(number, true);
  Program name(1, 2);
  name.b.at<Module>(name.b.header().first_module).name = 0x7fffffc0;
  expect_damage(name, false);
}

constexpr uint64_t python(uint32_t line) { return kPythonModule << kModuleShift | line; }

TEST(StackReader, LinesOfPythonComeFirst) {
  Program p(1, 2);
  const uint32_t line = p.b.python("/home/me/simulate.py", "Grid.dump", 42), unknown = p.b.python("", "", 1);
  const uint32_t stack = p.b.stack({frame(1, 0x10), python(line), python(unknown), python(line)});
  p.b.at<Record>(p.record).open_stack = stack;
  p.b.at<Record>(p.b.record("/data/b")).open_stack = p.b.stack({frame(1, 0x10), python(line)});
  StackReading r(p.b.finish());
  EXPECT_EQ(r.gap("damaged spool"), 0u);
  EXPECT_NE(r.stack("/data/a"), r.stack("/data/b"));
  std::vector<model::Frame> frames;
  for (const model::Stack& each : r.contents.stacks)
    if (each.id == r.stack("/data/a")) frames = each.frames;
  ASSERT_EQ(frames.size(), 3u);
  for (const uint32_t i : {0, 1}) {
    EXPECT_EQ(frames[i].function, "Grid.dump");
    EXPECT_EQ(frames[i].file, "/home/me/simulate.py");
    EXPECT_EQ(frames[i].line, 42u);
  }
  EXPECT_EQ(frames[2].offset, 0x10u);
}

TEST(StackReader, SitesWithoutTheirPythonAreCounted) {
  Program p(1, 2);
  p.b.at<Stack>(p.stack).flags = Stack::kLostPython;
  p.b.at<Sites>(p.b.sites(p.record)).of[uint32_t{Sites::kSlowest}] = {500, 1'500'000'000, 64, p.stack, 0};
  StackReading r(p.b.finish());
  EXPECT_EQ(r.gap("Python code of call sites"), 2u);
  EXPECT_NE(r.stack("/data/a"), 0u);
}

TEST(StackReader, DamagedLinesOfPython) {
  for (const uint64_t place : {uint64_t{0x7fffffc0}, uint64_t{12}, uint64_t{1} << 40}) {
    Program p(1, 2);
    p.b.at<Record>(p.record).open_stack = p.b.stack({frame(1, 0x10), kPythonModule << kModuleShift | place});
    expect_damage(p, true);
  }
  Program name(1, 2);
  const uint32_t line = name.b.python("a.py", "f", 1);
  name.b.at<PythonFrame>(line).file = 0x7fffffc0;
  name.b.at<Record>(name.record).open_stack = name.b.stack({python(line)});
  expect_damage(name, true);
}

TEST(StackReader, SitesOfTwoFilesInOnePlace) {
  Program p(1, 2);
  const uint32_t sites = p.b.sites(p.record);
  p.b.at<Record>(p.b.record("/data/b")).sites = sites;
  expect_damage(p, false);
}

}  // namespace
}  // namespace headrace::capture
