#include "forward/server/losses.h"

#include <algorithm>

namespace headrace::forward {
namespace {

// Bounds on what is kept of a client; beyond them ranges are joined, which tells more than was lost, never less.
constexpr size_t kMostStored = 64;
constexpr size_t kMostLost = 1024;

void add_within(const LostRanges& from, Range range, LostRanges* to) {
  for (const auto& [error, ranges] : from) {
    for (const Range& part : ranges.within(range)) (*to)[error].add(part);
  }
}

}  // namespace

void Losses::stored(const Nonce& client, Range range) {
  auto& stored = accounts_[client].stored;
  if (stored.empty() || stored.back().first != epoch_) stored.emplace_back(epoch_, RangeSet());
  stored.back().second.add(range);
  stored.back().second.coarsen(kMostStored);
}

void Losses::lost(const Nonce& client, Range range, int error) {
  RangeSet& ranges = accounts_[client].lost[error];
  ranges.add(range);
  ranges.coarsen(kMostLost);
  lost_end_ = std::max(lost_end_, range.end);
}

void Losses::committed(uint64_t epoch) {
  for (auto& [client, account] : accounts_)
    std::erase_if(account.stored, [&](const auto& each) { return each.first <= epoch; });
}

void Losses::commit_failed(uint64_t epoch, int error) {
  for (auto& [client, account] : accounts_) {
    for (const auto& [stored_at, ranges] : account.stored) {
      if (stored_at > epoch) continue;
      for (const Range& range : ranges.ranges()) account.lost[error].add(range);
    }
    if (const auto found = account.lost.find(error); found != account.lost.end()) found->second.coarsen(kMostLost);
  }
  committed(epoch);
}

LostRanges Losses::take(const Nonce& client, Range range) {
  LostRanges told;
  const auto own = accounts_.find(client);
  if (own == accounts_.end()) {
    for (const auto& [other, account] : accounts_) add_within(account.lost, range, &told);
    return told;
  }
  add_within(own->second.lost, range, &told);
  for (auto& [error, ranges] : own->second.lost) ranges.remove(range);
  std::erase_if(own->second.lost, [](const auto& each) { return each.second.empty(); });
  return told;
}

LostRanges Losses::untold() const {
  LostRanges all;
  for (const auto& [client, account] : accounts_) add_within(account.lost, {0, UINT64_MAX}, &all);
  return all;
}

std::set<Nonce> Losses::losers() const {
  std::set<Nonce> clients;
  for (const auto& [client, account] : accounts_) {
    if (!account.lost.empty()) clients.insert(client);
  }
  return clients;
}

bool Losses::empty() const {
  return std::all_of(accounts_.begin(), accounts_.end(), [](const auto& each) { return each.second.lost.empty(); });
}

}  // namespace headrace::forward
