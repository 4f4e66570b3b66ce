#include "workload/run/executor.h"

#include <gtest/gtest.h>

#include <map>

#include "workload/plan/ior.h"

namespace headrace::workload {
namespace {

/// Keeps files in memory, and goes wrong on request.
class Faulty : public Backend {
 public:
  base::Status open(uint32_t file, const PlannedFile&, const std::string&, Access access) override {
    if (access == Access::kCreate) files_[file];
    return files_.count(file) != 0 ? base::Status() : base::Status(base::Code::kIo, "no such file");
  }
  base::Status write(const Operation& to, std::span<const uint8_t> bytes) override {
    const uint32_t file = to.file;
    const uint64_t offset = to.offset;
    if (++writes_ == stale_write) return {};  // lost: a later read finds what was there before
    const size_t count = writes_ == short_write ? bytes.size() - 3 : bytes.size();
    std::vector<uint8_t>& all = files_[file];
    if (all.size() < offset + count) all.resize(offset + count);
    std::copy_n(bytes.begin(), count, all.begin() + static_cast<ptrdiff_t>(offset));
    return {};
  }
  base::Result<uint64_t> read(const Operation& from, std::span<uint8_t> bytes) override {
    const uint32_t file = from.file;
    const uint64_t offset = from.offset;
    const std::vector<uint8_t>& all = files_[file];
    const size_t count = offset < all.size() ? std::min<size_t>(bytes.size(), all.size() - offset) : 0;
    std::copy_n(all.begin() + static_cast<ptrdiff_t>(std::min<size_t>(offset, all.size())), count, bytes.begin());
    if (++reads_ == flipped_read) bytes[5] ^= 0x10;
    return uint64_t{count};
  }
  base::Status sync(uint32_t) override { return {}; }
  base::Status close(uint32_t) override { return {}; }
  base::Status object(const Operation& operation, const PlannedObject& object) override {
    objects.push_back(std::string(verb_name(operation.verb)) + " " + object.name);
    return {};
  }

  int flipped_read = 0, short_write = 0, stale_write = 0;
  std::vector<std::string> objects;  // what was done with them

 private:
  std::map<uint32_t, std::vector<uint8_t>> files_;
  int writes_ = 0, reads_ = 0;
};

class ExecutorTest : public ::testing::Test {
 protected:
  PhaseFigures run(size_t phase, uint64_t seed = 1) {
    ExecutorSettings settings;
    settings.seed = seed;
    settings.compare_all = true;
    settings.stop = &stop_;
    Executor executor(*pattern_, backend_, ranks_, settings);
    auto figures = executor.run(pattern_->phases()[phase]);
    EXPECT_TRUE(figures.ok()) << figures.message();
    return figures.ok() ? *figures : PhaseFigures();
  }

  std::unique_ptr<Pattern> pattern_ = std::move(*make_ior({.block = 64, .transfer = 16}));
  Faulty backend_;
  Ranks ranks_;
  sig_atomic_t stop_ = 0;
};

TEST_F(ExecutorTest, WhatWasWrittenIsRead) {
  const PhaseFigures written = run(0), read = run(1);
  EXPECT_EQ(written.bytes(), 64u);
  EXPECT_EQ(written[Verb::kWrite].calls, 4u);
  EXPECT_EQ(read[Verb::kRead].bytes, 64u);
  EXPECT_EQ(read.checked_bytes, 64u);
  EXPECT_EQ(read.wrong_bytes + read.missing_bytes, 0u);
}

TEST_F(ExecutorTest, AFlippedBitIsFound) {
  backend_.flipped_read = 3;
  run(0);
  const PhaseFigures read = run(1);
  EXPECT_EQ(read.wrong_bytes, 1u);
  EXPECT_EQ(read.first_wrong_at, 37u);
}

TEST_F(ExecutorTest, AShortWriteIsFound) {
  backend_.short_write = 4;
  run(0);
  const PhaseFigures read = run(1);
  EXPECT_EQ(read.missing_bytes, 3u);
  EXPECT_EQ(read.first_wrong_at, 61u);
}

TEST_F(ExecutorTest, AStaleReadIsFound) {
  run(0, 1);
  backend_.stale_write = 6;  // the second of the second run
  run(0, 2);
  const PhaseFigures read = run(1, 2);
  EXPECT_GE(read.wrong_bytes, 14u);
  EXPECT_EQ(read.first_wrong_at, 16u);
}

TEST_F(ExecutorTest, ItStopsWhenToldTo) {
  stop_ = 2;
  ExecutorSettings settings;
  settings.stop = &stop_;
  Executor executor(*pattern_, backend_, ranks_, settings);
  EXPECT_EQ(executor.run(pattern_->phases()[0]).code(), base::Code::kLimit);
}

/// Hands one message from rank 0 to rank 1, which writes what it got.
class Relay : public Pattern {
 public:
  const char* name() const override { return "relay"; }
  std::string summary() const override { return ""; }
  std::string settings_json() const override { return "{}"; }
  std::vector<Phase> phases() const override { return {{"write", Verb::kWrite}, {"read", Verb::kRead}}; }
  uint32_t files() const override { return 1; }
  PlannedFile file(uint32_t) const override { return {"data", true, 0, 32}; }
  uint64_t largest_transfer() const override { return 32; }
  uint64_t footprint() const override { return 32; }
  uint64_t operations(const Phase& phase, int rank) const override {
    return phase.direction == Verb::kWrite ? (rank == 0 ? 1 : 4) : 3;
  }
  base::Status plan(const Phase& phase, int rank, const Take& take) const override {
    const bool reads = phase.direction == Verb::kRead;
    if (!reads && rank == 0) return take({.verb = Verb::kSend, .file = 0, .bytes = 32, .peer = 1});
    HEADRACE_TRY(take({.verb = reads ? Verb::kOpen : Verb::kCreate, .file = 0}));
    if (!reads) HEADRACE_TRY(take({.verb = Verb::kReceive, .file = 0, .bytes = 32, .peer = 0}));
    HEADRACE_TRY(take({.verb = phase.direction, .file = 0, .bytes = 32, .received = !reads}));
    return take({.verb = Verb::kClose, .file = 0});
  }
};

/// One of two; the other's messages are in `post`.
class Posting : public Ranks {
 public:
  Posting(int rank, std::vector<uint8_t>& post) : rank_(rank), post_(post) {}
  int rank() const override { return rank_; }
  int size() const override { return 2; }
  void send(int, std::span<const uint8_t> bytes, bool) override { post_.assign(bytes.begin(), bytes.end()); }
  void receive(int, std::span<uint8_t> bytes) override { std::copy(post_.begin(), post_.end(), bytes.begin()); }

 private:
  const int rank_;
  std::vector<uint8_t>& post_;
};

TEST_F(ExecutorTest, WhatIsReceivedIsWhatIsWritten) {
  const Relay relay;
  std::vector<uint8_t> post;
  Posting sender(0, post), receiver(1, post);
  const auto phases = relay.phases();
  ExecutorSettings settings;
  settings.compare_all = true;
  const auto sent = Executor(relay, backend_, sender, settings).run(phases[0]);
  ASSERT_TRUE(sent.ok()) << sent.message();
  EXPECT_EQ((*sent)[Verb::kSend].bytes, 32u);
  EXPECT_EQ(sent->bytes(), 0u);  // no I/O
  post[9] ^= 1;                  // on its way
  const auto written = Executor(relay, backend_, receiver, settings).run(phases[0]);
  ASSERT_TRUE(written.ok()) << written.message();
  EXPECT_EQ(written->wrong_bytes, 1u);
  EXPECT_EQ(written->bytes(), 32u);
  const auto read = Executor(relay, backend_, sender, settings).run(phases[1]);
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(read->first_wrong_at, 9u);
}

/// Makes and links a dataset.
class Linking : public Relay {
 public:
  PlannedObject object(uint32_t, uint32_t number) const override {
    return {.name = "object " + std::to_string(number)};
  }
  base::Status plan(const Phase&, int, const Take& take) const override {
    HEADRACE_TRY(take({.verb = Verb::kMakeDataset, .file = 0, .object = 7}));
    return take({.verb = Verb::kLink, .file = 0, .object = 8});
  }
};

TEST_F(ExecutorTest, ObjectsAreMadeAsThePatternSays) {
  const Linking linking;
  const auto figures = Executor(linking, backend_, ranks_, ExecutorSettings{}).run(linking.phases()[0]);
  ASSERT_TRUE(figures.ok()) << figures.message();
  EXPECT_EQ(backend_.objects, (std::vector<std::string>{"make_dataset object 7", "link object 8"}));
  EXPECT_EQ((*figures)[Verb::kLink].calls, 1u);
}

}  // namespace
}  // namespace headrace::workload
