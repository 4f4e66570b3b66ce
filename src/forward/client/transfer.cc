// Moving bytes: reads, writes, appends and commits, at all servers that have a part of them.
#include <errno.h>

#include <algorithm>
#include <deque>

#include "forward/client/client.h"
#include "forward/client/cutter.h"

namespace headrace::forward {
namespace {

constexpr size_t kAtOnce = 4;  // calls of one transfer under way

void add_bad(const Cut& cut, int error, std::vector<BadRange>* bad) {
  for (const Extent& extent : cut.extents) bad->push_back({static_cast<uint32_t>(error), extent});
}

}  // namespace

uint64_t Client::most_data() const {
  uint64_t most = UINT32_MAX;
  for (const auto& channel : channels_) most = std::min<uint64_t>(most, channel->most_data());
  return most;
}

/// Keeps some calls under way; their answers are looked at in order. After an error no more are begun.
int Client::transfer(Op op, const Handle& file, std::span<const iovec> memory, std::span<const Extent> extents,
                     uint32_t flags, std::vector<uint64_t>* counts, std::vector<BadRange>* bad) {
  struct Part {
    Pending pending;
    Cut cut;
  };
  const Row row(memory);
  Cutter cutter(extents, std::min<uint64_t>(kPiece, most_data()), layout_, hash_of_file(file));
  std::deque<Part> under_way;
  std::vector<Short> shorts;
  int first_error = 0;
  while (!under_way.empty() || (!cutter.at_end() && first_error == 0)) {
    if (first_error == 0 && !cutter.at_end() && under_way.size() < kAtOnce) {
      under_way.push_back(Part{Pending(), cutter.next()});
      Part& part = under_way.back();
      Request request;
      request.op = op;
      request.handle = file;
      request.flags = flags;
      request.extents = part.cut.extents;
      channels_[part.cut.server]->submit(request, part.cut.memory(row), part.cut.bytes, &part.pending);
      continue;
    }
    const auto& [pending, cut] = under_way.front();
    const int error = channels_[cut.server]->wait(&under_way.front().pending);
    if (first_error == 0) first_error = error;
    if (bad != nullptr && error != 0) {
      if (pending.reply.bad.empty()) add_bad(cut, error, bad);
      bad->insert(bad->end(), pending.reply.bad.begin(), pending.reply.bad.end());
    }
    if (counts != nullptr && error == 0) add_shorts(cut, pending.reply, &shorts);
    under_way.pop_front();
  }
  while (bad != nullptr && first_error != 0 && !cutter.at_end()) add_bad(cutter.next(), first_error, bad);
  return first_error != 0 || counts == nullptr ? first_error : end_counts(file, row, &shorts, counts);
}

void Client::add_shorts(const Cut& cut, const Reply& reply, std::vector<Short>* shorts) {
  for (size_t i = 0; i < reply.counts.size(); ++i) {
    if (reply.counts[i] < cut.extents[i].length)
      shorts->push_back({cut.owners[i], cut.inside[i], cut.places[i], cut.extents[i], reply.counts[i]});
  }
}

/// Where a file is spread, a server may know nothing of what another one has behind its bytes. What lies in front of
/// the end of the file is there; it is read again, since it may have been written meanwhile, and the rest is zeros.
int Client::fill(const Handle& file, const Row& row, std::vector<Short>* shorts) {
  const auto now = attributes(file);
  if (!now.ok()) return now.error();
  for (Short& each : *shorts) {
    const uint64_t there = now->size - std::min(now->size, each.extent.offset);
    const uint64_t end = std::min(each.extent.length, there);
    if (end <= each.got) continue;
    const Extent rest{each.extent.offset + each.got, end - each.got};
    Request request;
    request.op = Op::kRead;
    request.handle = file;
    request.extents = {rest};
    std::vector<iovec> memory;
    row.add(each.place + each.got, rest.length, &memory);
    Channel& channel = *channels_[layout_.owner(hash_of_file(file), rest.offset)];
    Pending pending;
    channel.submit(request, std::move(memory), rest.length, &pending);
    if (const int error = channel.wait(&pending); error != 0) return error;
    const uint64_t got = pending.reply.counts.empty() ? rest.length : pending.reply.counts[0];
    row.clear(each.place + each.got + got, rest.length - got);
    each.got = end;
  }
  return 0;
}

/// The parts of an extent are read at the same time, and a file may grow meanwhile: one part meets the old end, and a
/// later one gets bytes. Those behind the first end do not count, as nobody filled the memory in front of them.
int Client::end_counts(const Handle& file, const Row& row, std::vector<Short>* shorts, std::vector<uint64_t>* counts) {
  if (shorts->empty()) return 0;
  if (layout_.is_spread()) {
    if (const int error = fill(file, row, shorts); error != 0) return error;
  }
  for (const Short& each : *shorts) {
    uint64_t& count = (*counts)[each.owner];
    if (each.got < each.extent.length) count = std::min(count, each.inside + each.got);
  }
  return 0;
}

Outcome<std::vector<uint64_t>> Client::read(const Handle& file, std::span<const iovec> memory,
                                            std::span<const Extent> extents) {
  std::vector<uint64_t> counts;
  for (const Extent& extent : extents) counts.push_back(extent.length);
  const int error = transfer(Op::kRead, file, memory, extents, 0, &counts, nullptr);
  if (error != 0) return Failed{error};
  return counts;
}

int Client::write(const Handle& file, std::span<const iovec> memory, std::span<const Extent> extents, uint32_t flags,
                  std::vector<BadRange>* bad) {
  return transfer(Op::kWrite, file, memory, extents, flags, nullptr, bad);
}

Outcome<uint64_t> Client::append(const Handle& file, std::span<const iovec> memory, uint32_t flags) {
  uint64_t bytes = 0;
  for (const iovec& each : memory) bytes += each.iov_len;
  const auto least = held_end(file);
  if (!least.ok()) return Failed{least.error()};
  Channel& channel = home_of(file);
  Request request;
  request.op = Op::kAppend;
  request.handle = file;
  request.flags = flags;
  request.size = bytes;
  request.least = *least;
  Pending pending;
  // What is too large for one call, or for other servers, gets its range first, and is then written there.
  const bool apart = bytes > channel.most_data() || !layout_.all_at_home();
  if (apart) request.flags |= kReserve;
  channel.submit(request, apart ? std::vector<iovec>() : std::vector<iovec>(memory.begin(), memory.end()),
                 apart ? 0 : bytes, &pending);
  if (const int error = channel.wait(&pending); error != 0) return Failed{error};
  const uint64_t offset = pending.reply.size;
  const Extent where{offset, bytes};
  if (apart) {
    if (const int error = write(file, memory, {&where, 1}, flags); error != 0) return Failed{error};
  }
  return offset;
}

std::vector<size_t> Client::owners_of(const Handle& file, Extent range) const {
  std::vector<size_t> owners;
  const uint64_t hash = hash_of_file(file);
  for (size_t i = 0; i < channels_.size(); ++i) {
    if (layout_.owns_of(hash, i, range.offset, range.length)) owners.push_back(i);
  }
  return owners;
}

int Client::commit_answer(size_t server, const Handle& file, Extent range, const Pending& pending,
                          std::vector<BadRange>* bad) {
  Uncommitted& uncommitted = channels_[server]->uncommitted();
  bad->insert(bad->end(), pending.reply.bad.begin(), pending.reply.bad.end());
  const int error = pending.result();
  if (pending.error != 0) return error;
  const bool is_home = server == layout_.front(hash_of_file(file));
  // It was renamed, and this server has never had it.
  if (error == ESTALE && !is_home && !uncommitted.has(pending.file)) return 0;
  const bool whole = range.offset == 0 && range.length == 0;
  if (!uncommitted.was_lost(pending.file, pending.instance, whole, pending.answered_before)) return error;
  bad->push_back({EIO, range});
  return error != 0 ? error : EIO;
}

int Client::commit(const Handle& file, Extent range, std::vector<BadRange>* bad, uint32_t flags, bool* all_answered) {
  Request request;
  request.op = Op::kCommit;
  request.handle = file;
  request.range = range;
  request.flags = flags;
  const std::vector<size_t> owners = owners_of(file, range);
  std::vector<Pending> pending(owners.size());
  for (size_t i = 0; i < owners.size(); ++i) channels_[owners[i]]->submit(request, {}, 0, &pending[i]);
  std::vector<BadRange> all;
  int first_error = 0;
  if (all_answered != nullptr) *all_answered = true;
  for (size_t i = 0; i < owners.size(); ++i) {
    (void)channels_[owners[i]]->wait(&pending[i]);
    if (all_answered != nullptr && pending[i].error != 0) *all_answered = false;
    const int error = commit_answer(owners[i], file, range, pending[i], &all);
    if (first_error == 0) first_error = error;
  }
  if (bad != nullptr) *bad = std::move(all);
  return first_error;
}

}  // namespace headrace::forward
