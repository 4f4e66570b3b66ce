// The hot path: what every read and write of a program passes through.
//
// descriptor → tag (descriptors.h) → this thread's cached entry with the same tag → Direction in the spool. No lock, no
// allocation, no system call; about a dozen stores to two or three cache lines, hidden behind the two clock readings.
#pragma once
#include <errno.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "capture/recorder/call_sites.h"
#include "capture/recorder/descriptors.h"
#include "capture/recorder/records.h"
#include "capture/recorder/runs.h"
#include "capture/recorder/series.h"
#include "capture/recorder/update.h"

namespace headrace::capture {

/// Where an operation happens: at the description's position, or at a given offset.
enum class At { kPosition, kOffset };
/// Who counts the call in the function's profile: one of the two directions of a copy must not.
enum class Count { kCall, kNothing };

struct Operation {
  int fd;
  uint64_t tag;
  uint64_t offset;  // with At::kOffset
  const void* buffer;
  int64_t result;       // bytes, or negative
  uint64_t start, end;  // ticks
};

/// Finds the thread's shard for a tag it has not met. False: the file is gone or memory is out.
HEADRACE_COLD bool fill_cache(CachedFile& cached, uint64_t tag);
__attribute__((noinline)) void count_excluded(uint64_t tag, DirectionIndex direction, int64_t result);
void count_switch(CachedFile& cached);
HEADRACE_COLD void count_failure(const CachedFile& cached, DirectionIndex direction, Fn function, uint64_t spent,
                                 uint64_t start);

/// Counts one completed read or write of a tracked descriptor. Preserves errno.
template <DirectionIndex D, At A, Count C>
HEADRACE_INLINE void account(Fn function, const Operation& op) {
  Update update;
  uint64_t size = op.result > 0 ? static_cast<uint64_t>(op.result) : 0;
  if (HEADRACE_UNLIKELY(!update.enter())) return unattributed(D, size);
  ThreadBlock* b = block;
  CachedFile& cached = self->cache[static_cast<uint32_t>(op.fd) % kCachedFiles];
  if (HEADRACE_UNLIKELY(cached.tag != op.tag) && !fill_cache(cached, op.tag)) {
    unattributed(D, size);
    return update.leave();
  }
  uint64_t spent = op.end > op.start ? op.end - op.start : 0;
  if (HEADRACE_UNLIKELY(op.result < 0)) {
    count_failure(cached, D, function, spent, op.start);
    return update.leave();
  }
  Direction* d = cached.directions[D];
  if (HEADRACE_UNLIKELY(d == nullptr)) {
    d = cached.directions[D] = direction_of(cached.shard, D, op.start);
    if (!d) {
      unattributed(D, size);
      return update.leave();
    }
  }
  b->current = offset_of(d);
  OpenFile* file = cached.file;
  uint64_t offset = op.offset;
  if (A == At::kPosition) {
    if (D == kWrite && file->append) file->position = d->last_end;  // wherever the end is, it follows our last write
    offset = file->position;
    file->position = offset + size;
  }
  bool notable = false;
  bool known = A == At::kPosition ? file->unknown_position == 0 : file->unknown_position < 2;
  auto gap = static_cast<int64_t>(offset - d->last_end);
  if (HEADRACE_UNLIKELY(size != d->run_size || gap != d->run_gap || size == 0 || !known)) {
    end_run(d, size, gap, known);
    notable = size >= cached.large[D];
    if (size == 0) offset = d->last_end;                                 // an operation without bytes is nowhere
    if (!known) offset = -size;                                          // nor does the next one follow this
    if (size == 0 || !known) d->unaligned_file -= (offset & 4095) != 0;  // so neither is unaligned
  } else {
    d->run_count++;
  }
  d->last_end = offset + size;
  d->unaligned_file += (offset & 4095) != 0;
  d->unaligned_memory += (reinterpret_cast<uintptr_t>(op.buffer) & 7) != 0;
  if (HEADRACE_UNLIKELY(cached.last != D)) {
    if (cached.last != 2) count_switch(cached);
    cached.last = D;
  }
  d->time += spent;
  if (HEADRACE_UNLIKELY(spent > d->max_time)) {
    d->max_time = spent;
    d->max_time_size = size;
    notable |= spent >> 8 >= cached.slow[D];
  }
  d->last_time = op.end;
  add_to_series(b, op.start, op.end, size, D);
  if (C == Count::kCall) {
    if (Profile* p = profile_of(function); HEADRACE_LIKELY(p != nullptr)) {
      p->calls++;
      p->bytes += size;
      p->time += spent;
      if (HEADRACE_UNLIKELY(spent > p->max_time)) p->max_time = spent;
    }
  }
  if (HEADRACE_UNLIKELY(notable)) {
    raise_thresholds(cached, D, size, spent);
    const uint64_t record = file->hash;
    update.leave();
    return note_operation(record, D, size, spent, op.end);
  }
  update.leave();
}

/// The first buffer of a vector. Looked at only once the kernel has: a bad address must fail, not crash.
struct FirstOf {
  const struct iovec* vector;
};
inline const void* buffer_after(const void* buffer, int64_t) { return buffer; }
inline const void* buffer_after(FirstOf first, int64_t result) { return result > 0 ? first.vector->iov_base : nullptr; }

/// Runs `call`, which reads from or writes to `fd`, and counts what it did. `buffer`: a pointer or FirstOf.
template <DirectionIndex D, At A, typename Buffer, typename Call>
HEADRACE_INLINE auto transfer(Fn function, int fd, int64_t offset, Buffer buffer, Call call) {
  uint64_t tag = tag_of(fd);
  if (HEADRACE_UNLIKELY(!is_tracked(tag))) {
    auto result = call();
    if (HEADRACE_LIKELY(is_excluded(tag)))
      count_excluded(tag, D, result);
    else if (result >= 0 && state.enabled)
      unattributed(D, static_cast<uint64_t>(result));
    return result;
  }
  uint64_t start = base::ticks();
  auto result = call();
  uint64_t end = base::ticks();
  account<D, A, Count::kCall>(
      function, {fd, tag, static_cast<uint64_t>(offset), buffer_after(buffer, result), result, start, end});
  return result;
}

/// Counts one half of a copy between two descriptors; only the writing half has the time and the call.
template <DirectionIndex D>
HEADRACE_COLD void account_copy(Fn function, int fd, const int64_t* offset, int64_t result, uint64_t start,
                                uint64_t end) {
  uint64_t tag = tag_of(fd);
  if (!is_tracked(tag)) {
    if (is_excluded(tag)) count_excluded(tag, D, result);
    return;
  }
  uint64_t at = offset ? static_cast<uint64_t>(*offset) - static_cast<uint64_t>(result > 0 ? result : 0) : 0;
  Operation op{fd, tag, at, nullptr, result, D == kWrite ? start : end, end};
  if (offset)
    account<D, At::kOffset, D == kWrite ? Count::kCall : Count::kNothing>(function, op);
  else
    account<D, At::kPosition, D == kWrite ? Count::kCall : Count::kNothing>(function, op);
}

}  // namespace headrace::capture
