#include "forward/server/locks.h"

#include <algorithm>

namespace headrace::forward {
namespace {

uint64_t end_of(const Extent& range) { return range.length == 0 ? UINT64_MAX : range.offset + range.length; }

}  // namespace

/// What is left of a lock on both sides of what is taken out stays.
void Locks::remove(std::vector<Lock>* locks, const Nonce& owner, uint64_t begin, uint64_t end) {
  std::vector<Lock> rests;
  std::erase_if(*locks, [&](const Lock& lock) {
    if (lock.owner != owner || lock.end <= begin || lock.begin >= end) return false;
    Lock rest = lock;
    if (lock.begin < begin) rest.end = begin, rests.push_back(rest);
    rest = lock;
    if (lock.end > end) rest.begin = end, rests.push_back(rest);
    --count_;
    return true;
  });
  count_ += rests.size();
  locks->insert(locks->end(), rests.begin(), rests.end());
}

std::optional<Locks::Conflict> Locks::take(const File& file, const Wanted& wanted, bool test, bool* full) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Key key{file.root, file.inode, file.born, wanted.whole};
  const uint64_t begin = wanted.range.offset, end = end_of(wanted.range);
  if (const auto found = files_.find(key); found != files_.end()) {
    for (const Lock& other : found->second) {
      const bool apart = other.end <= begin || other.begin >= end;
      if (apart || other.owner == wanted.owner || !(other.exclusive || wanted.exclusive)) continue;
      const uint64_t length = other.end == UINT64_MAX ? 0 : other.end - other.begin;
      return Conflict{{other.begin, length}, other.process, other.exclusive};
    }
  }
  const auto client = clients_.find(wanted.client);
  *full = count_ >= kMost || client == clients_.end();
  if (test || *full) return std::nullopt;
  std::vector<Lock>& locks = files_[key];
  remove(&locks, wanted.owner, begin, end);
  Lock made{wanted.owner, begin, end, wanted.process, wanted.exclusive};
  // Neighbours of one kind are one lock, or a program that locks byte after byte would have millions.
  std::erase_if(locks, [&](const Lock& other) {
    const bool joins = other.owner == made.owner && other.exclusive == made.exclusive &&
                       (other.end == made.begin || other.begin == made.end);
    if (!joins) return false;
    made.begin = std::min(made.begin, other.begin);
    made.end = std::max(made.end, other.end);
    --count_;
    return true;
  });
  locks.push_back(made);
  ++count_;
  Owner& owner = owners_[wanted.owner];
  owner.files.insert(key);
  owner.clients.insert(wanted.client);
  client->second.owners.insert(wanted.owner);
  if (const auto opener = clients_.find(wanted.opener); opener != clients_.end()) {
    owner.clients.insert(wanted.opener);
    opener->second.owners.insert(wanted.owner);
  }
  return std::nullopt;
}

void Locks::forget_file(const Key& key, const Nonce& owner) {
  const auto found = files_.find(key);
  if (found == files_.end()) return;
  if (found->second.empty()) files_.erase(found);
  const auto of = owners_.find(owner);
  if (of != owners_.end()) of->second.files.erase(key);
}

void Locks::give(const File& file, const Wanted& wanted) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Key key{file.root, file.inode, file.born, wanted.whole};
  const auto found = files_.find(key);
  if (found == files_.end()) return;
  remove(&found->second, wanted.owner, wanted.range.offset, end_of(wanted.range));
  const auto is_owners = [&](const Lock& each) { return each.owner == wanted.owner; };
  if (std::none_of(found->second.begin(), found->second.end(), is_owners)) forget_file(key, wanted.owner);
}

void Locks::leave_locked(const Nonce& owner, const Nonce& client) {
  const auto found = owners_.find(owner);
  if (found == owners_.end()) return;
  found->second.clients.erase(client);
  if (!found->second.clients.empty()) return;
  const std::set<Key> files = found->second.files;
  for (const Key& key : files) {
    if (const auto at = files_.find(key); at != files_.end()) remove(&at->second, owner, 0, UINT64_MAX);
    forget_file(key, owner);
  }
  owners_.erase(found);
}

void Locks::leave(const Nonce& owner, const Nonce& client) {
  const std::lock_guard<std::mutex> lock(mutex_);
  leave_locked(owner, client);
  if (const auto found = clients_.find(client); found != clients_.end()) found->second.owners.erase(owner);
}

void Locks::arrived(const Nonce& client) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++clients_[client].connections;
}

void Locks::gone(const Nonce& client) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = clients_.find(client);
  if (found == clients_.end() || --found->second.connections > 0) return;
  for (const Nonce& owner : found->second.owners) leave_locked(owner, client);
  clients_.erase(found);
}

size_t Locks::count() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return count_;
}

}  // namespace headrace::forward
