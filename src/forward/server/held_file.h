// What a server holds of one file: data that clients were told is written, on its way to the file.
//
// Data is held by stripe. A stripe goes to the file when it is full, old, or wanted; meanwhile new data for it is held
// beside it, and goes after it. Reads and sizes see the file as if all were in it. Safe in any thread.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "forward/backend/backend.h"
#include "forward/protocol/handle.h"
#include "forward/server/held_stripe.h"
#include "forward/server/losses.h"

namespace headrace::forward {

class WriteBuffer;

/// Length 0: to the end.
inline Range range_or_all(Extent extent) {
  return {extent.offset, extent.length == 0 ? UINT64_MAX : extent.offset + extent.length};
}

/// A write on its way into the buffer.
struct HeldWrite {
  struct Piece {
    Extent where;
    const uint8_t* from;
    Nonce client;
  };
  std::vector<Piece> pieces;
  /// It is held, or its rest was written to the file because there was no memory at all; `failed` is what was not.
  std::function<void(const std::vector<BadRange>& failed)> done;
  size_t next = 0;      // piece, and
  uint64_t inside = 0;  // byte of it that is not held yet
};

class HeldFile : public std::enable_shared_from_this<HeldFile> {
 public:
  HeldFile(WriteBuffer& buffer, File file, std::shared_ptr<OpenFile> opened, uint64_t stripe_bytes);

  /// True: all of it is held, and `done` is not called. False: it waits, and `done` will be called in another thread.
  bool write(HeldWrite* write);
  Outcome<uint64_t> read(OpenFile& file, Extent where, uint8_t* into);
  /// Calls `then`, in any thread, when what is held of the range now is in the file, with what could not be stored.
  void flush(Range range, FlushReason reason, std::function<void(std::vector<BadRange>)> then);
  /// Flushes what is held for longer; gives how long the oldest of the rest is held, or 0.
  uint64_t flush_older(uint64_t since_ns, FlushReason reason);
  /// A thread for flushes does one.
  void flush_one();

  /// What is held changes a file's attributes. Take it before asking the file for its own.
  struct View {
    uint64_t end = 0;
    int64_t modified = 0;
    void apply(Attributes* attributes) const;
  };
  View view();
  /// Where the next append goes at the least.
  uint64_t append_end();

  /// Between these nothing is being flushed, so that the file can be made another size. `kept`: it has this size now.
  void pause();
  void resume(std::optional<uint64_t> kept);

  /// Commits the file itself. When that fails, all who wrote since the last time will be told.
  int sync();
  /// What is to be told to a client that commits `range`, after a flush and a sync() that failed like this.
  std::vector<BadRange> tell(const Nonce& client, Range range, const std::vector<BadRange>& failed, int error);

  /// Nothing is held, waits or has to be told.
  bool idle();
  bool empty();
  /// Returns when nothing is held and nobody waits.
  void empty_out();
  uint64_t oldest_ns();
  LostRanges untold();
  std::set<Nonce> losers();
  const File& file() const { return file_; }
  const std::shared_ptr<OpenFile>& opened() const { return opened_; }

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Stripes = std::map<uint64_t, std::shared_ptr<HeldStripe>>;
  enum class Step { kHeld, kWait, kDirect };

  Step hold(Lock& lock, HeldWrite* write);
  HeldStripe* stripe_of(uint64_t index);
  void watch_size(HeldStripe& stripe, uint64_t index);
  void want(HeldStripe& stripe, uint64_t index, FlushReason reason);
  void want_oldest(FlushReason reason);
  void start_flushes();
  void flush_next(Lock& lock);
  bool is_empty() const;
  std::vector<BadRange> write_rest(HeldWrite* write);
  void serve_waiting();
  LostRanges write_out(const HeldStripe& stripe);
  void settle(const HeldStripe& stripe, const LostRanges& lost);
  uint64_t end_of_held() const;
  std::vector<std::shared_ptr<HeldStripe>> stripes_in(Range range) const;

  WriteBuffer& buffer_;
  const File file_;
  const std::shared_ptr<OpenFile> opened_;
  const uint64_t stripe_bytes_;

  std::mutex mutex_;
  std::condition_variable changed_;
  Stripes dirty_, flushing_;     // by number
  std::deque<uint64_t> wanted_;  // dirty stripes to flush next
  std::deque<HeldWrite> waiting_;
  std::map<Nonce, uint32_t> numbers_;
  std::vector<Nonce> clients_;  // by number
  Losses losses_;
  uint64_t memory_ = 0;  // of all stripes
  int64_t modified_ = 0;
  int paused_ = 0;
  size_t asked_ = 0;    // threads for flushes that are on their way
  size_t at_work_ = 0;  // threads in flush_one()
  bool serving_ = false, serve_again_ = false, watched_ = false;
};

}  // namespace headrace::forward
