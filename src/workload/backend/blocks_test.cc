#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "workload/backend/backend.h"

namespace headrace::workload {
namespace {

/// Remembers what was written where.
class Memory : public Backend {
 public:
  base::Status open(uint32_t, const PlannedFile&, const std::string&, Access) override { return {}; }
  base::Status write(const Operation& to, std::span<const uint8_t> bytes) override {
    writes.emplace_back(to.offset, to.bytes);
    if (all.size() < to.offset + to.bytes) all.resize(to.offset + to.bytes);
    std::copy(bytes.begin(), bytes.end(), all.begin() + static_cast<ptrdiff_t>(to.offset));
    return {};
  }
  base::Result<uint64_t> read(const Operation&, std::span<uint8_t>) override { return uint64_t{0}; }
  base::Status sync(uint32_t) override { return {}; }
  base::Status close(uint32_t) override { return {}; }

  std::vector<std::pair<uint64_t, uint64_t>> writes;
  std::vector<uint8_t> all;
};

class BlocksTest : public ::testing::Test {
 protected:
  void open(Gather gather, std::vector<uint64_t> shape = {}) {
    PlannedFile planned;
    planned.gather = gather;
    planned.shape = std::move(shape);
    EXPECT_TRUE(blocks_->open(0, planned, "file", Access::kCreate).ok());
  }
  void write(uint64_t offset, uint64_t bytes, Box box = {}) {
    std::vector<uint8_t> data(bytes);
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(++count_);
    EXPECT_TRUE(blocks_->write({Verb::kWrite, 0, offset, bytes, box}, data).ok());
  }
  using Writes = std::vector<std::pair<uint64_t, uint64_t>>;

  Memory* memory_ = new Memory;
  std::unique_ptr<Backend> blocks_ = make_blocks(std::unique_ptr<Backend>(memory_));
  unsigned count_ = 0;
};

TEST_F(BlocksTest, OneWriteForEachBlockOfARow) {
  open({0, 64});
  for (uint64_t at = 0; at < 150; at += 10) write(at, 10);
  EXPECT_EQ(memory_->writes, (Writes{{0, 64}, {64, 64}}));
  EXPECT_TRUE(blocks_->close(0).ok());
  EXPECT_EQ(memory_->writes.back(), (std::pair<uint64_t, uint64_t>{128, 22}));
  EXPECT_EQ(blocks_->block_writes(), 3u);
}

TEST_F(BlocksTest, SeekingBackEmptiesTheBlock) {
  open({0, 64});
  for (uint64_t i = 0; i < 4; ++i) {
    write(i * 4, 4);          // in turns: an entry of a table in front
    write(200 + i * 10, 10);  // and data behind
  }
  EXPECT_TRUE(blocks_->close(0).ok());
  EXPECT_EQ(memory_->writes.size(), 8u);
}

TEST_F(BlocksTest, PartsOfAnArrayArePutTogether) {
  open({16, 64}, {10, 8});
  write(0, 5);
  for (const uint64_t column : {4, 0, 6, 2}) {
    Box box;
    box.start[0] = 2;
    box.start[1] = column;
    box.count[0] = 8;
    box.count[1] = 2;
    write(16 + column, 16, box);
  }
  EXPECT_EQ(memory_->writes, (Writes{{0, 5}, {16, 64}}));
}

TEST_F(BlocksTest, NoBlockIsNoGathering) {
  open({});
  write(0, 10);
  write(10, 10);
  EXPECT_EQ(memory_->writes.size(), 2u);
  EXPECT_EQ(blocks_->block_writes(), 0u);
}

TEST_F(BlocksTest, BytesAreThoseOfTheWritesInAnyOrder) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    open({random() % 50, 1 + random() % 70});
    memory_->all.assign(400, 0);
    std::vector<uint8_t> expected(400);
    for (int i = 0; i < 30; ++i) {
      const uint64_t offset = random() % 300, bytes = random() % 100;
      const unsigned before = count_;
      write(offset, bytes);
      for (uint64_t at = 0; at < bytes; ++at) expected[offset + at] = static_cast<uint8_t>(before + 1 + at);
      if (random() % 8 == 0) {
        EXPECT_TRUE(blocks_->sync(0).ok());
      }
    }
    EXPECT_TRUE(blocks_->close(0).ok());
    EXPECT_EQ(memory_->all, expected);
  }
}

}  // namespace
}  // namespace headrace::workload
