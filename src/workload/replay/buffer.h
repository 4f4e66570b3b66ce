// Memory to write from and read to, as large as the largest call asks for. Of that only what the job moved takes
// memory.
#pragma once
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/result.h"
#include "workload/backend/failure.h"
#include "workload/replay/contents.h"

namespace headrace::workload::replay {

class Buffer {
 public:
  static base::Result<Buffer> make(uint64_t asked, uint64_t moved) {
    Buffer buffer;
    buffer.size_ = std::max<uint64_t>(asked, 1);
    void* memory =
        mmap(nullptr, buffer.size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return failure("memory for calls of " + std::to_string(asked) + " bytes");
    buffer.memory_ = static_cast<uint8_t*>(memory);
    fill_contents(buffer.memory_, std::min(moved, buffer.size_));
    return buffer;
  }
  Buffer() = default;
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() {
    if (memory_ != nullptr) munmap(memory_, size_);
  }
  uint8_t* data() const { return memory_; }

 private:
  uint8_t* memory_ = nullptr;
  uint64_t size_ = 0;
};

}  // namespace headrace::workload::replay
