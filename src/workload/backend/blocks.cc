// Writes that gather in memory before another back end makes them: a block of each file, as Yorick's cache blocks are
// (the paper on pF3D, section II). A block is written when it is full, in one call, or when a write is outside of it,
// the file is synchronised or closed: then each part of it that was filled is a call.
#include <algorithm>
#include <map>

#include "workload/backend/backend.h"
#include "workload/backend/open_files.h"
#include "workload/plan/box.h"

namespace headrace::workload {
namespace {

using base::Result;
using base::Status;

class Blocks : public Backend {
 public:
  explicit Blocks(std::unique_ptr<Backend> to) : to_(std::move(to)) {}

  Status open(uint32_t file, const PlannedFile& planned, const std::string& path, Access access) override {
    HEADRACE_TRY(to_->open(file, planned, path, access));
    Block block;
    block.gather = planned.gather;
    block.shape = planned.shape;
    if (access != Access::kRead) block.bytes.resize(planned.gather.bytes);
    blocks_.add(file, std::move(block), path);
    return {};
  }

  Status write(const Operation& to, std::span<const uint8_t> bytes) override {
    Block& block = blocks_[to.file].handle;
    if (block.gather.bytes == 0) return to_->write(to, bytes);
    return for_rows(block.shape, to, [&](uint64_t offset, uint64_t at, uint64_t count) {
      return gather(to.file, block, offset, bytes.subspan(at, count));
    });
  }

  Result<uint64_t> read(const Operation& from, std::span<uint8_t> bytes) override { return to_->read(from, bytes); }
  Status sync(uint32_t file) override {
    HEADRACE_TRY(flush(file, blocks_[file].handle));
    return to_->sync(file);
  }
  Status close(uint32_t file) override {
    const Status flushed = flush(file, blocks_[file].handle);
    blocks_.remove(file);
    HEADRACE_TRY(flushed);
    return to_->close(file);
  }
  bool keeps() const override { return to_->keeps(); }
  uint64_t block_writes() const override { return writes_; }
  std::vector<std::string> remarks() const override { return to_->remarks(); }

 private:
  struct Block {
    Gather gather;
    std::vector<uint64_t> shape;
    uint64_t start = 0;  // in the file
    std::vector<uint8_t> bytes;
    std::map<uint64_t, uint64_t> filled;  // parts of it that are: their beginnings and ends, which do not touch
  };

  /// Where the block begins that has this byte, and where it ends.
  static std::pair<uint64_t, uint64_t> around(const Gather& gather, uint64_t offset) {
    const bool before = offset < gather.from;
    const uint64_t origin = before ? 0 : gather.from;
    const uint64_t start = origin + (offset - origin) / gather.bytes * gather.bytes;
    return {start, before ? std::min(start + gather.bytes, gather.from) : start + gather.bytes};
  }

  static void fill(Block& block, uint64_t from, uint64_t to) {
    auto next = block.filled.upper_bound(from);
    if (next != block.filled.begin() && std::prev(next)->second >= from) {
      from = std::prev(next)->first;
      to = std::max(to, std::prev(next)->second);
      block.filled.erase(std::prev(next));
    }
    for (; next != block.filled.end() && next->first <= to; next = block.filled.erase(next))
      to = std::max(to, next->second);
    block.filled.emplace(from, to);
  }

  Status gather(uint32_t file, Block& block, uint64_t offset, std::span<const uint8_t> bytes) {
    while (!bytes.empty()) {
      const auto [start, end] = around(block.gather, offset);
      if (start != block.start) HEADRACE_TRY(flush(file, block));
      block.start = start;
      const uint64_t count = std::min<uint64_t>(bytes.size(), end - offset);
      std::copy_n(bytes.begin(), count, block.bytes.begin() + static_cast<ptrdiff_t>(offset - start));
      fill(block, offset - start, offset - start + count);
      if (block.filled.begin()->second == end - start && block.filled.begin()->first == 0)
        HEADRACE_TRY(flush(file, block));
      bytes = bytes.subspan(count);
      offset += count;
    }
    return {};
  }

  Status flush(uint32_t file, Block& block) {
    for (const auto& [from, to] : block.filled) {
      ++writes_;
      HEADRACE_TRY(to_->write({Verb::kWrite, file, block.start + from, to - from},
                              std::span(block.bytes).subspan(from, to - from)));
    }
    block.filled.clear();
    return {};
  }

  const std::unique_ptr<Backend> to_;
  OpenFiles<Block> blocks_;
  uint64_t writes_ = 0;
};

}  // namespace

std::unique_ptr<Backend> make_blocks(std::unique_ptr<Backend> to) { return std::make_unique<Blocks>(std::move(to)); }

}  // namespace headrace::workload
