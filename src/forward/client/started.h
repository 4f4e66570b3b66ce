// A read, write, append or commit that is under way: begun by the constructor's caller, finished by any thread that
// receives. Cut into calls that are all sent at once, as far as the connection takes them.
#pragma once
#include <atomic>
#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "forward/client/client.h"
#include "forward/client/cutter.h"

namespace headrace::forward {

class Started {
 public:
  /// `done` is called once, in whatever thread takes the last answer, with a connection's lock held: it may not wait
  /// nor call anything of forwarding.
  Started(Client& client, const Handle& file, std::function<void()> done);
  ~Started() { wait(); }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;

  // One of these, once. What Client has of that name says what they do; the memory has to stay.
  void read(std::span<const iovec> memory, std::span<const Extent> extents);
  void write(std::span<const iovec> memory, std::span<const Extent> extents, uint32_t flags);
  void append(std::span<const iovec> memory, uint32_t flags);
  void commit(Extent range, uint32_t flags);

  /// Whether it is done, without waiting for more than what has arrived.
  bool test();
  /// Waits; gives 0 or an error number. Safe in any thread, one at a time.
  int wait();

  // When it is done:
  const std::vector<uint64_t>& counts() const { return counts_; }  // of a read: bytes by extent
  const std::vector<BadRange>& bad() const { return bad_; }        // of a write or commit
  uint64_t offset() const { return offset_; }                      // of an append

 private:
  struct Piece {
    Pending pending;
    size_t server = 0;
    Cut cut;  // of a read or write
  };
  void begin(Op op, std::span<const iovec> memory, std::span<const Extent> extents, uint32_t flags);
  Piece& add(size_t server);
  void begun();
  void one_done();
  void conclude();
  void take(Piece& piece);

  Channel& channel(const Piece& piece) { return client_.channel(piece.server); }

  Client& client_;
  const Handle file_;
  const std::function<void()> done_;
  Op op_ = Op::kRead;
  Extent range_;  // of a commit
  Row row_{{}};   // of a read
  std::vector<Client::Short> shorts_;
  std::deque<Piece> pieces_;
  std::atomic<size_t> left_ = 1;  // pieces, and one until all are begun
  bool concluded_ = false;
  int error_ = 0;
  std::vector<uint64_t> counts_;
  std::vector<BadRange> bad_;
  uint64_t offset_ = 0;
};

}  // namespace headrace::forward
