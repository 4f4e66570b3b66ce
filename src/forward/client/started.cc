#include "forward/client/started.h"

#include <errno.h>

namespace headrace::forward {

Started::Started(Client& client, const Handle& file, std::function<void()> done)
    : client_(client), file_(file), done_(std::move(done)) {}

void Started::one_done() {
  if (--left_ == 0 && done_) done_();
}

Started::Piece& Started::add(size_t server) {
  Piece& piece = pieces_.emplace_back();
  piece.server = server;
  piece.pending.on_done = [](Pending* pending) { static_cast<Started*>(pending->owner)->one_done(); };
  piece.pending.owner = this;
  ++left_;
  return piece;
}

/// Until now it could not be done, however quick the answers were.
void Started::begun() { one_done(); }

void Started::begin(Op op, std::span<const iovec> memory, std::span<const Extent> extents, uint32_t flags) {
  row_ = Row(memory);
  const uint64_t most = std::min<uint64_t>(kPiece, client_.most_data());
  for (Cutter cutter(extents, most, client_.layout(), hash_of_file(file_)); !cutter.at_end();) {
    Cut cut = cutter.next();
    Piece& piece = add(cut.server);
    piece.cut = std::move(cut);
    Request request;
    request.op = op;
    request.handle = file_;
    request.flags = flags;
    request.extents = piece.cut.extents;
    channel(piece).submit(request, piece.cut.memory(row_), piece.cut.bytes, &piece.pending);
  }
}

void Started::read(std::span<const iovec> memory, std::span<const Extent> extents) {
  op_ = Op::kRead;
  for (const Extent& extent : extents) counts_.push_back(extent.length);
  begin(op_, memory, extents, 0);
  begun();
}

void Started::write(std::span<const iovec> memory, std::span<const Extent> extents, uint32_t flags) {
  op_ = Op::kWrite;
  begin(op_, memory, extents, flags);
  begun();
}

/// What is too large for one call, or for other servers, gets its range first, for which this waits, and is then
/// written there.
void Started::append(std::span<const iovec> memory, uint32_t flags) {
  op_ = Op::kAppend;
  uint64_t bytes = 0;
  for (const iovec& each : memory) bytes += each.iov_len;
  const auto least = client_.held_end(file_);
  if (!least.ok()) {
    error_ = least.error();
    return begun();
  }
  Piece& first = add(client_.layout().home(hash_of_file(file_)));
  const bool apart = bytes > channel(first).most_data() || !client_.layout().all_at_home();
  Request request;
  request.op = op_;
  request.handle = file_;
  request.flags = apart ? flags | kReserve : flags;
  request.size = bytes;
  request.least = *least;
  channel(first).submit(request, apart ? std::vector<iovec>() : std::vector<iovec>(memory.begin(), memory.end()),
                        apart ? 0 : bytes, &first.pending);
  if (apart && channel(first).wait(&first.pending) == 0) {
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
  for (const size_t server : client_.owners_of(file_, range))
    client_.channel(server).submit(request, {}, 0, &add(server).pending);
  begun();
}

bool Started::test() {
  for (Piece& piece : pieces_) {
    if (!channel(piece).test(&piece.pending)) return false;
  }
  conclude();
  return true;
}

int Started::wait() {
  for (Piece& piece : pieces_) (void)channel(piece).wait(&piece.pending);
  conclude();
  return error_;
}

/// What one call says of the whole.
void Started::take(Piece& piece) {
  const Pending& pending = piece.pending;
  const Reply& reply = pending.reply;
  const int error =
      op_ == Op::kCommit ? client_.commit_answer(piece.server, file_, range_, pending, &bad_) : pending.result();
  if (error_ == 0) error_ = error;
  if (op_ == Op::kCommit) return;
  if (op_ == Op::kAppend && &piece == &pieces_.front() && error == 0) offset_ = reply.size;
  const Cut& cut = piece.cut;
  if (op_ == Op::kRead && error == 0) Client::add_shorts(cut, reply, &shorts_);
  if (op_ == Op::kRead || error == 0) return;
  bad_.insert(bad_.end(), reply.bad.begin(), reply.bad.end());
  if (reply.bad.empty())
    for (const Extent& extent : cut.extents) bad_.push_back({static_cast<uint32_t>(error), extent});
}

/// Where a file's bytes are spread, a read that met its end asks for its size: the one time that this waits.
void Started::conclude() {
  if (std::exchange(concluded_, true)) return;
  for (Piece& piece : pieces_) take(piece);
  if (op_ != Op::kRead) return;
  if (error_ == 0) error_ = client_.end_counts(file_, row_, &shorts_, &counts_);
  if (error_ != 0) counts_.assign(counts_.size(), 0);
}

}  // namespace headrace::forward
