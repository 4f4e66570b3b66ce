#include "forward/server/shared_reads.h"

#include <errno.h>
#include <string.h>

#include <atomic>

#include "base/clock.h"

namespace headrace::forward {
namespace {

constexpr uint64_t kCopiedAtOnce = 64 << 10;  // more is copied by several threads

bool is_late(const Call& call) {
  return call.header.limit != 0 && base::monotonic_ns() - call.begun_ns > uint64_t{call.header.limit} * 1'000'000;
}

}  // namespace

SharedReads::FileKey SharedReads::key_of(base::Bytes handle) {
  FileKey key{};
  if (handle.size() >= kHandleIdentityAt + key.size())
    memcpy(key.data(), handle.data() + kHandleIdentityAt, key.size());
  return key;
}

bool SharedReads::add(const Services& services, Pool& pool, std::shared_ptr<Call> call, Done done) {
  const Request& request = call->request;
  // Whoever joins has shown a handle of the same file, which a server has made.
  if (request.extents.size() != 1 || !services.handles->open(request.handle).ok()) return false;
  const Key key{key_of(request.handle), request.extents[0].offset, request.extents[0].length};
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<Group>& group = joinable_[key];
  const bool is_first = group == nullptr;
  if (is_first) group = std::make_shared<Group>();
  group->push_back({std::move(call), std::move(done)});
  if (is_first) pool.add([this, &services, &pool, key, group = group] { work(services, pool, key, group); });
  return true;
}

void SharedReads::changed(base::Bytes handle) {
  const FileKey file = key_of(handle);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (file == FileKey{}) return joinable_.clear();
  auto at = joinable_.lower_bound({file, 0, 0});
  while (at != joinable_.end() && std::get<0>(at->first) == file) at = joinable_.erase(at);
}

void SharedReads::forget(const Key& key, const std::shared_ptr<Group>& group) {
  const auto found = joinable_.find(key);
  if (found != joinable_.end() && found->second == group) joinable_.erase(found);
}

/// Answers those whose time was over before the read began; false when no others are left.
bool SharedReads::refuse_late(const Services& services, Group& group) {
  std::erase_if(group, [&](const Waiting& each) {
    const bool late = is_late(*each.call);
    if (late) services.counters->expired += 1;
    if (late) each.done(refuse(*each.call, ETIMEDOUT));
    return late;
  });
  return !group.empty();
}

/// The first one's memory takes the bytes. It is answered last, since its client may use that memory then.
void SharedReads::work(const Services& services, Pool& pool, const Key& key, const std::shared_ptr<Group>& group) {
  std::shared_ptr<Call> first;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool any = refuse_late(services, *group);
    if (!any || !sees_all_) forget(key, group);
    if (!any) return;
    first = group->front().call;
  }
  const uint64_t begun = base::monotonic_ns();
  const auto got = read_extent(services, first->request.handle, first->request.extents[0], first->data);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    forget(key, group);  // nobody else comes from here on
  }
  if (!got.ok()) return read_apart(services, pool, group, got.error(), begun);
  services.counters->shared_reads += group->size() - 1;
  const auto left = std::make_shared<std::atomic<size_t>>(group->size());
  const auto one_done = [&services, group, left, got, begun] {
    const Waiting& leader = group->front();
    if (--*left == 0) leader.done(answer_read(services, *leader.call, got, begun));
  };
  for (size_t i = 1; i < group->size(); ++i) {
    const auto copy = [&services, group, got, begun, one_done, i] {
      const Waiting& each = (*group)[i];
      memcpy(each.call->data, group->front().call->data, *got);
      each.done(answer_read(services, *each.call, got, begun));
      one_done();
    };
    if (*got > kCopiedAtOnce)
      pool.add(copy);
    else
      copy();
  }
  one_done();
}

/// The first one's path may lead nowhere any more, and that of another handle of the same file may be its new one.
void SharedReads::read_apart(const Services& services, Pool& pool, const std::shared_ptr<Group>& group, int error,
                             uint64_t begun) {
  const Waiting& leader = group->front();
  leader.done(answer_read(services, *leader.call, Failed{error}, begun));
  for (size_t i = 1; i < group->size(); ++i) {
    pool.add([&services, group, i] {
      const Waiting& each = (*group)[i];
      const Request& request = each.call->request;
      const uint64_t own_begin = base::monotonic_ns();
      const auto got = read_extent(services, request.handle, request.extents[0], each.call->data);
      each.done(answer_read(services, *each.call, got, own_begin));
    });
  }
}

}  // namespace headrace::forward
