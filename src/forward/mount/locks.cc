#include "forward/mount/locks.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "forward/mount/operations.h"

namespace headrace::forward::mount {
namespace {

constexpr uint64_t kFirstPauseNs = 200'000, kLongestPauseNs = 20'000'000;

Nonce random_name() {
  Nonce name{};
  if (getrandom(name.data(), name.size(), 0) < 0) abort();
  return name;
}

Client::LockAsked asked_of(Mount& mount, const struct flock& lock, uint64_t owner) {
  Client::LockAsked asked;
  asked.owner = mount.locks().owner(owner);
  asked.flags = lock.l_type == F_RDLCK ? kShared : lock.l_type == F_WRLCK ? kExclusively : 0;
  asked.range.offset = static_cast<uint64_t>(lock.l_start);
  // The last byte that there can be is the end as well.
  const bool to_end = lock.l_len == 0 || lock.l_len > INT64_MAX - lock.l_start - 1;
  asked.range.length = to_end ? 0 : static_cast<uint64_t>(lock.l_len);
  asked.process = static_cast<uint64_t>(std::max(lock.l_pid, 0));
  return asked;
}

}  // namespace

LockWaiter::LockWaiter(Mount& mount) : mount_(mount), name_(random_name()) {}

Nonce LockWaiter::owner(uint64_t kernel_owner) const {
  Nonce owner = name_;
  memcpy(owner.data() + owner.size() - sizeof kernel_owner, &kernel_owner, sizeof kernel_owner);
  return owner;
}

int LockWaiter::attempt(Opened& opened, const Client::LockAsked& asked, Client::LockAnswer* in_the_way) {
  Item& item = *opened.item;
  const uint64_t connection = mount_.client().connection(*mount_.items().handle(item));
  const bool locks = asked.flags & (kShared | kExclusively), tests = asked.flags & kTest;
  if (const uint64_t at = opened.locked_at; at != 0 && at != connection && !tests) {
    // What is locked anew from here on is whole; what is given back is gone already.
    opened.locked_at = 0;
    return locks ? EIO : 0;
  }
  const auto answer = mount_.on(item, [&](const Handle& handle) { return mount_.client().lock(handle, asked); });
  if (!answer.ok()) return answer.error();
  *in_the_way = *answer;
  if (!answer->granted) return EAGAIN;
  if (tests) return 0;
  if (locks) opened.locked_at = connection;
  if (asked.flags & kWhole) {
    opened.locked_whole = locks;
  } else if (locks) {
    const std::lock_guard<std::mutex> lock(item.mutex);
    item.lockers.insert(asked.owner);
    opened.lockers.insert(asked.owner);
  }
  if (!locks && asked.range.offset == 0 && asked.range.length == 0) opened.locked_at = 0;
  return 0;
}

/// Errors have nobody to go to: the server gives locks back when the connection ends at the latest.
void LockWaiter::give(Item& item, const Nonce& owner, uint32_t flags) {
  Client::LockAsked asked;
  asked.owner = owner;
  asked.flags = flags;
  [[maybe_unused]] const auto given =
      mount_.on(item, [&](const Handle& handle) { return mount_.client().lock(handle, asked); });
}

void LockWaiter::give_ranges(Opened& opened, uint64_t kernel_owner) {
  const Nonce name = owner(kernel_owner);
  {
    const std::lock_guard<std::mutex> lock(opened.item->mutex);
    if (opened.item->lockers.erase(name) == 0) return;
    if (opened.lockers.erase(name) > 0) opened.locked_at = 0;
  }
  give(*opened.item, name, 0);
}

/// Of ranges only those are left that belong to the open file: processes gave theirs back when they closed it.
void LockWaiter::give_all(Opened& opened) {
  std::vector<Nonce> left;
  {
    const std::lock_guard<std::mutex> lock(opened.item->mutex);
    for (const Nonce& name : opened.lockers) {
      if (opened.item->lockers.erase(name) > 0) left.push_back(name);
    }
  }
  for (const Nonce& name : left) give(*opened.item, name, 0);
  if (!opened.locked_whole) return;
  give(*opened.item, opened.whole_owner, kWhole);
}

void LockWaiter::wait(Wish wish) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (stopped_) return answer(wish.request, EINTR);
  wish.pause_ns = kFirstPauseNs;
  wish.next_ns = base::monotonic_ns() + wish.pause_ns;
  wishes_.push_back(wish);
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  changed_.notify_all();
}

void LockWaiter::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

/// True: the request is answered.
bool LockWaiter::try_again(Wish& wish) {
  Client::LockAnswer in_the_way;
  const int error = fuse_req_interrupted(wish.request) ? EINTR : attempt(*wish.opened, wish.asked, &in_the_way);
  if (error != EAGAIN) return answer(wish.request, error), true;
  wish.pause_ns = std::min(wish.pause_ns * 5 / 4, kLongestPauseNs);
  wish.next_ns = base::monotonic_ns() + wish.pause_ns;
  return false;
}

void LockWaiter::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopped_) {
    uint64_t next = UINT64_MAX;
    std::list<Wish> now;
    const uint64_t time = base::monotonic_ns();
    for (auto wish = wishes_.begin(); wish != wishes_.end();) {
      const auto at = wish++;
      if (at->next_ns <= time)
        now.splice(now.end(), wishes_, at);
      else
        next = std::min(next, at->next_ns);
    }
    if (now.empty()) {
      if (next == UINT64_MAX)
        changed_.wait(lock);
      else
        changed_.wait_for(lock, std::chrono::nanoseconds(next - time));
      continue;
    }
    lock.unlock();
    now.remove_if([this](Wish& wish) { return try_again(wish); });
    lock.lock();
    wishes_.splice(wishes_.end(), now);
  }
  for (const Wish& wish : wishes_) answer(wish.request, EINTR);
  wishes_.clear();
}

void get_lock(fuse_req_t request, fuse_ino_t, fuse_file_info* file, struct flock* lock) {
  Mount& mount = mount_of(request);
  Client::LockAsked asked = asked_of(mount, *lock, file->lock_owner);
  asked.flags |= kTest;
  Client::LockAnswer answered;
  const int error = mount.locks().attempt(opened_of(file), asked, &answered);
  if (error != 0 && error != EAGAIN) return answer(request, error);
  lock->l_type = error == 0 ? F_UNLCK : answered.exclusive ? F_WRLCK : F_RDLCK;
  lock->l_whence = SEEK_SET;
  if (error != 0) {
    lock->l_start = static_cast<off_t>(answered.range.offset);
    lock->l_len = static_cast<off_t>(answered.range.length);
    lock->l_pid = static_cast<pid_t>(answered.process);
  }
  fuse_reply_lock(request, lock);
}

namespace {

void try_and_wait(fuse_req_t request, Opened& opened, const Client::LockAsked& asked, bool waits) {
  LockWaiter& locks = mount_of(request).locks();
  Client::LockAnswer in_the_way;
  const int error = locks.attempt(opened, asked, &in_the_way);
  if (error != EAGAIN || !waits) return answer(request, error);
  locks.wait({request, &opened, asked});
}

}  // namespace

void set_lock(fuse_req_t request, fuse_ino_t, fuse_file_info* file, struct flock* lock, int waits) {
  Mount& mount = mount_of(request);
  try_and_wait(request, opened_of(file), asked_of(mount, *lock, file->lock_owner), waits != 0);
}

void lock_whole(fuse_req_t request, fuse_ino_t, fuse_file_info* file, int operation) {
  Opened& opened = opened_of(file);
  Client::LockAsked asked;
  asked.owner = opened.whole_owner = mount_of(request).locks().owner(file->lock_owner);
  asked.flags = kWhole;
  const int kind = operation & ~LOCK_NB;
  if (kind == LOCK_SH) asked.flags |= kShared;
  if (kind == LOCK_EX) asked.flags |= kExclusively;
  try_and_wait(request, opened, asked, !(operation & LOCK_NB));
}

}  // namespace headrace::forward::mount
