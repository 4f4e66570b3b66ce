// Unified traces hold the same, however they were cut into files and however often they were begun.

#include "events/unify.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "events/made_streams.h"
#include "events/made_trace.h"
#include "events/trace_rows.h"

namespace headrace::events {
namespace {

using model::TimeClass;

class Unify : public testing::Test {
 protected:
  Unify() : directory_(testing::TempDir() + "headrace_unify_" + std::to_string(getpid())) {
    std::filesystem::create_directories(directory_);
  }
  ~Unify() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }

  std::string store(const std::string& name, const std::vector<uint8_t>& bytes) const {
    std::ofstream(path(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }

  std::vector<uint8_t> load(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// Some ranks of a job, with rows that other files of it have as well.
  std::string part(const std::string& name, uint32_t first, uint32_t last) const {
    MadeTrace made;
    for (int i = 0; i < 200; ++i) made.reference("function", "f" + std::to_string(i), TimeClass::kRead);
    for (uint32_t rank = first; rank < last; ++rank)
      made.add({.process = rank + 1, .thread = 1, .rank = static_cast<int32_t>(rank), .host = "n"},
               MadeStream::s3d(kMostEvents + 1000 * rank));
    EXPECT_TRUE(made.writer().add(std::vector<Handle>{{first + 1, 1, "/x"}}).ok());
    EXPECT_TRUE(made.writer().add_facts({{"command", "a"}}).ok());
    (void)made.finish();
    return store(name, made.bytes());
  }

  static std::vector<TraceRow> rows_of(const std::string& path) {
    TraceReader trace = TraceReader::open(path).value();
    std::vector<uint32_t> all(trace.locations().size());
    std::iota(all.begin(), all.end(), 0);
    TraceRows rows(trace, all, {});
    std::vector<TraceRow> found;
    while (const TraceRow* row = *rows.next()) {
      found.push_back(*row);
      const uint64_t id = trace.references()[row->event.reference()].id;
      found.back().event.kind_and_reference = static_cast<uint32_t>(id ^ static_cast<uint32_t>(row->event.kind()));
    }
    return found;
  }

  static bool same(const std::vector<TraceRow>& a, const std::vector<TraceRow>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const TraceRow& one, const TraceRow& other) {
      return one.event == other.event && one.duration_ns == other.duration_ns && one.moved == other.moved;
    });
  }

  std::string directory_;
};

TEST_F(Unify, MakesOneFileOfSeveralWithTheSameEvents) {
  const std::string whole = part("whole.hr", 0, 5), low = part("low.hr", 0, 2), high = part("high.hr", 2, 5);
  const Unified made = unify({high, low}, path("one.hr"), 2).value();
  EXPECT_EQ(made.chunks, 9u);
  EXPECT_EQ(made.bytes, std::filesystem::file_size(path("one.hr")));
  EXPECT_EQ(made.resumed + made.damaged, 0u);
  EXPECT_TRUE(same(rows_of(path("one.hr")), rows_of(whole)));
  TraceReader trace = TraceReader::open(path("one.hr")).value();
  EXPECT_TRUE(trace.closed());
  EXPECT_TRUE(trace.damage().empty());
  EXPECT_EQ(trace.references().size(), 200u);
  EXPECT_EQ(trace.handle(1, 1), "/x");
  EXPECT_EQ(trace.handle(3, 1), "/x");
  EXPECT_EQ(trace.locations().size(), 5u);
  EXPECT_EQ(trace.file().table("references")->rows, 200u);
  EXPECT_FALSE(std::filesystem::exists(path("one.hr.part")));
  // Chunks of events stand in the order of time.
  std::vector<std::pair<uint64_t, uint64_t>> places;
  for (const format::ChunkInfo& chunk : trace.chunks())
    if (chunk.header.name() == "events") places.emplace_back(chunk.offset, chunk.header.begin_at_ns);
  std::sort(places.begin(), places.end());
  for (size_t i = 1; i < places.size(); ++i) EXPECT_LE(places[i - 1].second, places[i].second);
}

TEST_F(Unify, GoesOnWhereItWasKilled) {
  const std::string source = part("source.hr", 0, 4);
  ASSERT_TRUE(unify({source}, path("clean.hr")).ok());
  const std::vector<uint8_t> clean = load("clean.hr");
  for (uint64_t seed = 0; seed < 12; ++seed) {
    std::vector<uint8_t> left = clean;
    left.resize(base::mix(seed, 1) % clean.size());
    // Threads write in any order: a stretch in the middle may be missing.
    const size_t hole = base::mix(seed, 2) % (left.size() + 1), length = base::mix(seed, 3) % 50'000;
    std::fill(left.begin() + static_cast<ptrdiff_t>(hole),
              left.begin() + static_cast<ptrdiff_t>(std::min(left.size(), hole + length)), 0);
    if (seed == 11) left.assign(2 * clean.size(), 0x55);  // something else, and longer
    store("again.hr.part", left);
    const Unified made = unify({source}, path("again.hr")).value();
    EXPECT_LT(made.resumed, made.bytes);
    EXPECT_EQ(load("again.hr"), clean);
  }
}

TEST_F(Unify, OfAUnifiedTraceIsTheSame) {
  ASSERT_TRUE(unify({part("source.hr", 0, 3)}, path("once.hr")).ok());
  ASSERT_TRUE(unify({path("once.hr")}, path("twice.hr")).ok());
  EXPECT_EQ(load("once.hr"), load("twice.hr"));
  ASSERT_TRUE(unify({path("once.hr"), path("once.hr")}, path("thrice.hr")).ok());
  EXPECT_EQ(load("once.hr"), load("thrice.hr"));
}

TEST_F(Unify, KeepsTheLastValueOfAFact) {
  MadeTrace made;
  made.add({.process = 1, .thread = 1}, {});
  for (const char* value : {"1", "2", "1"}) ASSERT_TRUE(made.writer().add_facts({{"a", value}}).ok());
  (void)made.finish();
  ASSERT_TRUE(unify({store("source.hr", made.bytes())}, path("one.hr")).ok());
  const TraceReader trace = TraceReader::open(path("one.hr")).value();
  EXPECT_EQ(trace.facts(), (std::vector<std::pair<std::string, std::string>>{{"a", "1"}}));
}

TEST_F(Unify, KeepsDamageAsItIs) {
  const std::string source = part("source.hr", 0, 2);
  std::vector<uint8_t> bytes = load("source.hr");
  const TraceReader before = TraceReader::open(source).value();
  bytes[before.chunks()[before.locations()[1].chunks[0]].offset + format::kHeaderSize + 5000] ^= 1;
  store("source.hr", bytes);
  EXPECT_EQ(unify({source}, path("one.hr"))->damaged, 1u);
  EXPECT_TRUE(same(rows_of(path("one.hr")), rows_of(source)));
}

TEST_F(Unify, RefusesOtherJobsAndWhatIsNoTrace) {
  const std::string source = part("source.hr", 0, 1);
  std::vector<uint8_t> other;
  auto writer = TraceWriter::open(std::make_unique<format::MemorySink>(other), 78).value();
  ASSERT_TRUE(writer.add({.process = 1, .thread = 1}, {}, {}).ok());
  ASSERT_TRUE(writer.close().ok());
  EXPECT_EQ(unify({source, store("other.hr", other)}, path("one.hr")).code(), base::Code::kInvalid);
  EXPECT_EQ(unify({}, path("one.hr")).code(), base::Code::kInvalid);
  EXPECT_EQ(unify({path("none.hr")}, path("one.hr")).code(), base::Code::kNotFound);
  EXPECT_EQ(unify({source}, path("no/one.hr")).code(), base::Code::kIo);
  EXPECT_FALSE(std::filesystem::exists(path("one.hr")));
}

}  // namespace
}  // namespace headrace::events
