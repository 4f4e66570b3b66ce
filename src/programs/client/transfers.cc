// Reads, writes, appends and commits: <headrace/forward.h> has the contract. What waits is a request that is waited
// for.
#include <errno.h>

#include <algorithm>

#include "programs/client/connection.h"

namespace {

using headrace::forward::Extent;
namespace forward = headrace::forward;

constexpr uint64_t kMost = INT64_MAX;

/// Extents that are as long as the memory. False where they are not.
bool take(const struct iovec* memory, size_t parts, const headrace_forward_extent* extents, size_t count,
          std::vector<Extent>* into, uint64_t* bytes) {
  uint64_t room = 0;
  for (size_t i = 0; i < parts; ++i)
    if (__builtin_add_overflow(room, memory[i].iov_len, &room)) return false;
  *bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    const auto& [offset, length] = extents[i];
    if (offset > kMost || length > kMost - offset || __builtin_add_overflow(*bytes, length, bytes)) return false;
    into->push_back({offset, length});
  }
  return *bytes == room && room <= kMost;
}

uint32_t flags_of(uint32_t flags) { return (flags & HEADRACE_FORWARD_THROUGH) ? forward::kThrough : 0; }

headrace_forward_request* make(headrace_forward_file* file, void* context) {
  return new headrace_forward_request(*file, context);
}

/// What a call that waits does with its request.
int64_t finish(int begun, headrace_forward_request* const& request) {
  if (begun != 0) return begun;
  const int64_t result = headrace_forward_wait(request);
  headrace_forward_free(request);
  return result;
}

size_t put(const std::vector<forward::BadRange>& from, headrace_forward_bad* bad, size_t room) {
  for (size_t i = 0; i < std::min(room, from.size()); ++i)
    bad[i] = {from[i].where.offset, from[i].where.length, static_cast<int>(from[i].error)};
  return from.size();
}

}  // namespace

int headrace_forward_submit_read(headrace_forward_file* file, const struct iovec* memory, size_t parts,
                                 const headrace_forward_extent* extents, size_t count, uint64_t* counts, void* context,
                                 headrace_forward_request** request) {
  *request = nullptr;
  std::vector<Extent> list;
  uint64_t bytes = 0;
  if (!file->connection.is_own()) return -ECHILD;
  if (!take(memory, parts, extents, count, &list, &bytes)) return -EINVAL;
  *request = make(file, context);
  (*request)->counts = counts;
  (*request)->started.read({memory, parts}, list);
  return 0;
}

int headrace_forward_submit_write(headrace_forward_file* file, const struct iovec* memory, size_t parts,
                                  const headrace_forward_extent* extents, size_t count, uint32_t flags, void* context,
                                  headrace_forward_request** request) {
  *request = nullptr;
  std::vector<Extent> list;
  uint64_t bytes = 0;
  if (!file->connection.is_own()) return -ECHILD;
  if (!take(memory, parts, extents, count, &list, &bytes)) return -EINVAL;
  *request = make(file, context);
  (*request)->bytes = bytes;
  file->written = true;
  (*request)->started.write({memory, parts}, list, flags_of(flags));
  return 0;
}

int headrace_forward_submit_append(headrace_forward_file* file, const struct iovec* memory, size_t parts,
                                   uint32_t flags, void* context, headrace_forward_request** request) {
  *request = nullptr;
  if (!file->connection.is_own()) return -ECHILD;
  uint64_t bytes = 0;
  for (size_t i = 0; i < parts; ++i)
    if (__builtin_add_overflow(bytes, memory[i].iov_len, &bytes) || bytes > kMost) return -EINVAL;
  *request = make(file, context);
  (*request)->is_append = true;
  file->written = true;
  (*request)->started.append({memory, parts}, flags_of(flags));
  return 0;
}

int headrace_forward_submit_commit(headrace_forward_file* file, uint64_t offset, uint64_t length, uint32_t flags,
                                   void* context, headrace_forward_request** request) {
  *request = nullptr;
  if (!file->connection.is_own()) return -ECHILD;
  if (offset > kMost || length > kMost - offset) return -EINVAL;
  *request = make(file, context);
  (*request)->started.commit({offset, length}, (flags & HEADRACE_FORWARD_NO_SYNC) ? forward::kNoSync : 0);
  return 0;
}

ssize_t headrace_forward_read_list(headrace_forward_file* file, const struct iovec* memory, size_t parts,
                                   const headrace_forward_extent* extents, size_t count, uint64_t* counts) {
  headrace_forward_request* request = nullptr;
  return finish(headrace_forward_submit_read(file, memory, parts, extents, count, counts, nullptr, &request), request);
}

ssize_t headrace_forward_write_list(headrace_forward_file* file, const struct iovec* memory, size_t parts,
                                    const headrace_forward_extent* extents, size_t count, uint32_t flags) {
  headrace_forward_request* request = nullptr;
  return finish(headrace_forward_submit_write(file, memory, parts, extents, count, flags, nullptr, &request), request);
}

ssize_t headrace_forward_pread(headrace_forward_file* file, void* memory, size_t size, uint64_t offset) {
  const struct iovec part = {memory, size};
  const headrace_forward_extent extent = {offset, size};
  return headrace_forward_read_list(file, &part, 1, &extent, 1, nullptr);
}

ssize_t headrace_forward_pwrite(headrace_forward_file* file, const void* memory, size_t size, uint64_t offset,
                                uint32_t flags) {
  const struct iovec part = {const_cast<void*>(memory), size};
  const headrace_forward_extent extent = {offset, size};
  return headrace_forward_write_list(file, &part, 1, &extent, 1, flags);
}

int64_t headrace_forward_append(headrace_forward_file* file, const void* memory, size_t size, uint32_t flags) {
  const struct iovec part = {const_cast<void*>(memory), size};
  headrace_forward_request* request = nullptr;
  return finish(headrace_forward_submit_append(file, &part, 1, flags, nullptr, &request), request);
}

int headrace_forward_commit(headrace_forward_file* file, uint64_t offset, uint64_t length, uint32_t flags,
                            headrace_forward_bad* bad, size_t room, size_t* found) {
  headrace_forward_request* request = nullptr;
  const int begun = headrace_forward_submit_commit(file, offset, length, flags, nullptr, &request);
  const size_t lost = begun == 0 ? headrace_forward_bad_ranges(request, bad, room) : 0;
  if (found != nullptr) *found = lost;
  return static_cast<int>(finish(begun, request));
}

void* headrace_forward_context(const headrace_forward_request* request) { return request->context; }

int64_t headrace_forward_wait(headrace_forward_request* request) {
  return request->connection.is_own() ? request->result() : -ECHILD;
}

int headrace_forward_test(headrace_forward_request* request) {
  if (!request->connection.is_own()) return 0;
  const std::lock_guard<std::mutex> lock(request->mutex);
  return request->started.test() ? 1 : 0;
}

size_t headrace_forward_bad_ranges(headrace_forward_request* request, headrace_forward_bad* bad, size_t room) {
  if (!request->connection.is_own()) return 0;
  (void)request->result();
  return put(request->started.bad(), bad, room);
}

void headrace_forward_free(headrace_forward_request* request) {
  if (request == nullptr || !request->connection.is_own()) return;  // a child's copy of it has the parent's locks
  (void)request->result();
  request->connection.forget(request);
  delete request;
}

int headrace_forward_descriptor(headrace_forward* connection) {
  return connection->is_own() ? connection->descriptor() : -ECHILD;
}

headrace_forward_request* headrace_forward_next(headrace_forward* connection) {
  return connection->is_own() ? connection->next() : nullptr;
}
