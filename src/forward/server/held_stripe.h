// What is held of one stripe of a file: pages, which of their bytes were written, and by whom.
#pragma once
#include <sys/uio.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "forward/protocol/messages.h"
#include "forward/server/buffers.h"
#include "forward/server/range_set.h"

namespace headrace::forward {

/// Why data goes to the file.
enum class FlushReason : uint8_t { kNone, kFull, kAge, kPressure, kCommit, kEnd };

/// Somebody who waits until some stripes are in the file, or lost. Needs the lock of the file.
struct FlushWait {
  Range range;
  size_t left = 0;  // stripes
  std::vector<BadRange> failed;
  std::function<void(std::vector<BadRange>)> then;
};

class HeldStripe {
 public:
  static constexpr uint64_t kPage = 16 << 10;
  using TakePage = std::function<Buffer()>;

  /// Its own bytes beside the pages, which the caller has charged for it.
  static size_t cost(uint64_t bytes);
  HeldStripe(Buffers& buffers, uint64_t begin, uint64_t bytes);
  ~HeldStripe();
  HeldStripe(const HeldStripe&) = delete;
  HeldStripe& operator=(const HeldStripe&) = delete;

  /// Takes the first bytes of what is at `from`, as many as there are pages for; gives how many.
  uint64_t put(uint32_t writer, Range range, const uint8_t* from, const TakePage& take_page);
  /// Copies what was written of `range`; `into` is where the range begins.
  void copy_out(Range range, uint8_t* into) const;
  /// Forgets what is behind `size`.
  void cut(uint64_t size);
  /// Where the bytes of a range are that was written wholly.
  std::vector<iovec> parts_of(Range range) const;

  const RangeSet& written() const { return written_; }
  const std::vector<std::pair<uint32_t, RangeSet>>& writers() const { return writers_; }
  bool full() const { return written_.covers({begin_, begin_ + bytes_}); }
  /// So many ranges that it had better be flushed soon; with twice as many it has to be before more is taken.
  bool is_scattered() const { return pieces_ > many_pieces(); }
  uint64_t memory() const { return memory_; }

  uint64_t since_ns = 0;  // it holds something
  FlushReason wanted = FlushReason::kNone;
  std::vector<std::shared_ptr<FlushWait>> waits;

 private:
  size_t many_pieces() const { return static_cast<size_t>(bytes_ / 1024); }
  bool make_pieces_fit();
  RangeSet& ranges_of(uint32_t writer);

  Buffers& buffers_;
  const uint64_t begin_, bytes_;
  std::vector<Buffer> pages_;
  RangeSet written_;
  std::vector<std::pair<uint32_t, RangeSet>> writers_;
  size_t pieces_ = 0;
  uint64_t memory_ = 0;
  size_t charged_;
};

}  // namespace headrace::forward
