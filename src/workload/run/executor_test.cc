#include "workload/run/executor.h"

#include <gtest/gtest.h>

#include <map>

#include "workload/plan/ior.h"

namespace headrace::workload {
namespace {

/// Keeps files in memory, and goes wrong on request.
class Faulty : public Backend {
 public:
  base::Status open(uint32_t file, const PlannedFile&, const std::string&, bool create) override {
    if (create) files_[file];
    return files_.count(file) != 0 ? base::Status() : base::Status(base::Code::kIo, "no such file");
  }
  base::Status write(const Operation& to, std::span<const uint8_t> bytes) override {
    const auto [verb, file, offset, size, box] = to;
    if (++writes_ == stale_write) return {};  // lost: a later read finds what was there before
    const size_t count = writes_ == short_write ? bytes.size() - 3 : bytes.size();
    std::vector<uint8_t>& all = files_[file];
    if (all.size() < offset + count) all.resize(offset + count);
    std::copy_n(bytes.begin(), count, all.begin() + static_cast<ptrdiff_t>(offset));
    return {};
  }
  base::Result<uint64_t> read(const Operation& from, std::span<uint8_t> bytes) override {
    const auto [verb, file, offset, size, box] = from;
    const std::vector<uint8_t>& all = files_[file];
    const size_t count = offset < all.size() ? std::min<size_t>(bytes.size(), all.size() - offset) : 0;
    std::copy_n(all.begin() + static_cast<ptrdiff_t>(std::min<size_t>(offset, all.size())), count, bytes.begin());
    if (++reads_ == flipped_read) bytes[5] ^= 0x10;
    return uint64_t{count};
  }
  base::Status sync(uint32_t) override { return {}; }
  base::Status close(uint32_t) override { return {}; }

  int flipped_read = 0, short_write = 0, stale_write = 0;

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

}  // namespace
}  // namespace headrace::workload
