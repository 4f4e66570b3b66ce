#include "forward/backend/memory_file.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <algorithm>
#include <new>

#include "base/clock.h"

namespace headrace::forward {

int64_t time_now() { return static_cast<int64_t>(base::clock_ns(CLOCK_REALTIME)); }

bool MemoryRoom::take(uint64_t bytes) {
  if (left_.fetch_sub(static_cast<int64_t>(bytes)) >= static_cast<int64_t>(bytes)) return true;
  give(bytes);
  return false;
}

MemoryFile::~MemoryFile() { room_->give(blocks_.size() * kBlock); }

void MemoryFile::wrote(uint64_t end) {
  size_ = std::max(size_, end);
  modified_ = time_now();
}

Outcome<uint64_t> MemoryFile::read(Extent where, uint8_t* into) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (where.offset >= size_) return uint64_t{0};
  const uint64_t length = std::min(where.length, size_ - where.offset);
  for (uint64_t done = 0; done < length;) {
    const uint64_t at = where.offset + done, inside = at % kBlock;
    const uint64_t part = std::min(length - done, kBlock - inside);
    const auto block = blocks_.find(at / kBlock);
    if (block == blocks_.end())
      memset(into + done, 0, part);
    else
      memcpy(into + done, block->second.get() + inside, part);
    done += part;
  }
  return length;
}

OpenFile::Written MemoryFile::write(Extent where, const uint8_t* from) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (uint64_t done = 0; done < where.length;) {
    const uint64_t at = where.offset + done, inside = at % kBlock;
    const uint64_t part = std::min(where.length - done, kBlock - inside);
    auto& block = blocks_[at / kBlock];
    if (block == nullptr) {
      if (room_->take(kBlock)) block.reset(new (std::nothrow) uint8_t[kBlock]());
      if (block == nullptr) {
        blocks_.erase(at / kBlock);
        if (done > 0) wrote(at);
        return {done, ENOSPC};
      }
    }
    memcpy(block.get() + inside, from + done, part);
    done += part;
  }
  if (where.length > 0) wrote(where.offset + where.length);
  return {where.length, 0};
}

int MemoryFile::resize(uint64_t size) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto first = blocks_.lower_bound((size + kBlock - 1) / kBlock);
  room_->give(static_cast<uint64_t>(std::distance(first, blocks_.end())) * kBlock);
  blocks_.erase(first, blocks_.end());
  if (const auto last = blocks_.find(size / kBlock); last != blocks_.end())
    memset(last->second.get() + size % kBlock, 0, kBlock - size % kBlock);
  size_ = size;
  modified_ = time_now();
  return 0;
}

int MemoryFile::extend(uint64_t size) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (size > size_) wrote(size);
  return 0;
}

void MemoryFile::forget_time() {
  const std::lock_guard<std::mutex> lock(mutex_);
  modified_ = INT64_MIN;
}

Outcome<Attributes> MemoryFile::attributes() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Attributes attributes;
  attributes.size = size_;
  attributes.blocks = blocks_.size() * (kBlock / 512);
  attributes.modified = modified_;
  return attributes;
}

}  // namespace headrace::forward
