#include "forward/client/started.h"

#include <errno.h>

#include "forward/client/cutter.h"
#include "forward/client/memory_parts.h"

namespace headrace::forward {

Started::Started(Client& client, const Handle& file, std::function<void()> done)
    : channel_(client.channel_of(file)), file_(file), done_(std::move(done)) {}

void Started::one_done() {
  if (--left_ == 0 && done_) done_();
}

Started::Piece& Started::add() {
  Piece& piece = pieces_.emplace_back();
  piece.pending.on_done = [](Pending* pending) { static_cast<Started*>(pending->owner)->one_done(); };
  piece.pending.owner = this;
  ++left_;
  return piece;
}

/// Until now it could not be done, however quick the answers were.
void Started::begun() { one_done(); }

void Started::begin(Op op, std::span<const iovec> memory, std::span<const Extent> extents, uint32_t flags) {
  const std::vector<iovec> row(memory.begin(), memory.end());
  uint64_t at = 0;
  for (Cutter cutter(extents, std::min(kPiece, channel_.most_data())); !cutter.at_end();) {
    Cut part = cutter.next();
    Piece& piece = add();
    Request request;
    request.op = op;
    request.handle = file_;
    request.flags = flags;
    request.extents = piece.extents = std::move(part.extents);
    piece.owners = std::move(part.owners);
    channel_.submit(request, cut(row, at, part.bytes), part.bytes, &piece.pending);
    at += part.bytes;
  }
}

void Started::read(std::span<const iovec> memory, std::span<const Extent> extents) {
  op_ = Op::kRead;
  counts_.resize(extents.size());
  begin(op_, memory, extents, 0);
  begun();
}

void Started::write(std::span<const iovec> memory, std::span<const Extent> extents, uint32_t flags) {
  op_ = Op::kWrite;
  begin(op_, memory, extents, flags);
  begun();
}

/// What is too large for one call gets its range first, for which this waits, and is then written there.
void Started::append(std::span<const iovec> memory, uint32_t flags) {
  op_ = Op::kAppend;
  uint64_t bytes = 0;
  for (const iovec& each : memory) bytes += each.iov_len;
  const bool large = bytes > channel_.most_data();
  Piece& first = add();
  Request request;
  request.op = op_;
  request.handle = file_;
  request.flags = large ? flags | kReserve : flags;
  request.size = bytes;
  channel_.submit(request, large ? std::vector<iovec>() : std::vector<iovec>(memory.begin(), memory.end()),
                  large ? 0 : bytes, &first.pending);
  if (large && channel_.wait(&first.pending) == 0) {
    const Extent where{first.pending.reply.size, bytes};
    begin(Op::kWrite, memory, {&where, 1}, flags);
  }
  begun();
}

void Started::commit(Extent range, uint32_t flags) {
  op_ = Op::kCommit;
  range_ = range;
  Request request;
  request.op = op_;
  request.handle = file_;
  request.range = range;
  request.flags = flags;
  channel_.submit(request, {}, 0, &add().pending);
  begun();
}

bool Started::test() {
  for (Piece& piece : pieces_) {
    if (!channel_.test(&piece.pending)) return false;
  }
  conclude();
  return true;
}

int Started::wait() {
  for (Piece& piece : pieces_) (void)channel_.wait(&piece.pending);
  conclude();
  return error_;
}

/// What one call says of the whole.
void Started::take(Piece& piece) {
  const int error = piece.pending.result();
  const Reply& reply = piece.pending.reply;
  if (error_ == 0) error_ = error;
  if (op_ == Op::kAppend && &piece == &pieces_.front() && error == 0) offset_ = reply.size;
  for (size_t i = 0; op_ == Op::kRead && error == 0 && i < piece.extents.size(); ++i)
    counts_[piece.owners[i]] += reply.counts.empty() ? piece.extents[i].length : reply.counts[i];
  if (op_ == Op::kRead || (error == 0 && reply.bad.empty())) return;
  bad_.insert(bad_.end(), reply.bad.begin(), reply.bad.end());
  if (reply.bad.empty())
    for (const Extent& extent : piece.extents) bad_.push_back({static_cast<uint32_t>(error), extent});
}

void Started::conclude() {
  if (std::exchange(concluded_, true)) return;
  for (Piece& piece : pieces_) take(piece);
  if (op_ != Op::kCommit || pieces_.front().pending.error != 0) return;
  // A server that was killed took along what it held.
  const Pending& pending = pieces_.front().pending;
  const bool whole = range_.offset == 0 && range_.length == 0;
  if (!channel_.uncommitted().was_lost(pending.file, pending.instance, whole)) return;
  bad_.push_back({EIO, range_});
  if (error_ == 0) error_ = EIO;
}

}  // namespace headrace::forward
