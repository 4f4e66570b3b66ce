#include "forward/server/opens.h"

#include <sys/resource.h>

#include <algorithm>
#include <vector>

namespace headrace::forward {
namespace {

constexpr size_t kMostDoubts = 65536;  // then files are closed that somebody may have, if they have no name any more
constexpr size_t kMostOfClient = 1 << 17;  // more files are open to it without being kept
constexpr size_t kMostExpected = 1 << 18;  // then they stay open that nobody has, until others need the room

size_t most_open() {
  constexpr rlim_t kLeast = 256, kOthers = 640;
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  return std::max(kLeast, limit.rlim_cur / 2 - std::min(limit.rlim_cur / 2, kOthers));
}

}  // namespace

Opens::Opens(Backend& backend) : backend_(backend), most_(most_open()) {}

void Opens::open(const File& file, bool writes, const Nonce& owner, const Nonce& client) {
  auto opened = backend_.open_any(file, writes);
  const uint64_t identity = file.identity();
  std::shared_ptr<OpenFile> other;  // closed without the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto of = clients_.find(client);
  if (of == clients_.end() || of->second.files.size() >= kMostOfClient) return;
  Known& known = files_[identity];
  known.owners.insert({owner, client});
  expect_locked(identity);
  of->second.files.insert({identity, owner});
  doubts_.erase({identity, owner});
  if (!opened.ok() || files_.size() > most_) return;
  std::shared_ptr<OpenFile>& place = writes ? known.writes : known.reads;
  other = std::move(place);
  place = std::move(*opened);
}

std::shared_ptr<OpenFile> Opens::leave(uint64_t identity, const Nonce& owner, const Nonce& client) {
  const auto found = files_.find(identity);
  if (found == files_.end()) return nullptr;
  found->second.owners.erase({owner, client});
  if (!found->second.owners.empty()) return nullptr;
  auto last = found->second.writes != nullptr ? found->second.writes : found->second.reads;
  files_.erase(found);
  return last;
}

void Opens::doubt(uint64_t identity, const Nonce& owner) {
  if (doubts_.size() >= kMostDoubts) doubts_.clear();
  doubts_.insert({identity, owner});
}

std::shared_ptr<OpenFile> Opens::close(const File& file, const Nonce& owner, const Nonce& client, bool may_be_shared) {
  const uint64_t identity = file.identity();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const auto of = clients_.find(client); of != clients_.end()) of->second.files.erase({identity, owner});
  if (may_be_shared)
    doubt(identity, owner);
  else
    doubts_.erase({identity, owner});
  return leave(identity, owner, client);
}

void Opens::expect_locked(uint64_t identity) {
  if (expected_.size() >= kMostExpected) expected_.clear();
  expected_.insert(identity);
}

void Opens::expect(const File& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  expect_locked(file.identity());
}

bool Opens::has(const File& file) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return files_.contains(file.identity());
}

bool Opens::is_unused(const File& file) {
  const uint64_t identity = file.identity();
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto doubted = doubts_.lower_bound({identity, Nonce{}});
  if (!expected_.contains(identity) || files_.contains(identity)) return false;
  return doubted == doubts_.end() || doubted->first != identity;
}

void Opens::arrived(const Nonce& client) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++clients_[client].connections;
}

void Opens::gone(const Nonce& client) {
  std::vector<std::shared_ptr<OpenFile>> closed;  // without the lock
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = clients_.find(client);
  if (found == clients_.end() || --found->second.connections > 0) return;
  for (const auto& [identity, owner] : found->second.files) {
    closed.push_back(leave(identity, owner, client));
    doubt(identity, owner);
  }
  clients_.erase(found);
}

}  // namespace headrace::forward
