// The hot path: what every read and write of a program passes through.
//
// descriptor → tag (descriptors.h) → this thread's cached entry with the same tag → Direction in the spool. No lock, no
// allocation, no system call; about a dozen stores to two or three cache lines, hidden behind the two clock readings.
#pragma once
#include <errno.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "capture/recorder/apart.h"
#include "capture/recorder/call_sites.h"
#include "capture/recorder/current_call.h"
#include "capture/recorder/descriptors.h"
#include "capture/recorder/events.h"
#include "capture/recorder/records.h"
#include "capture/recorder/runs.h"
#include "capture/recorder/series.h"
#include "capture/recorder/sizes.h"
#include "capture/recorder/update.h"

namespace headrace::capture {

/// Where an operation happens: at the description's position, or at a given offset.
enum class At { kPosition, kOffset };
/// What is counted besides the bytes: the call with its time, or that of a copy these are the half that the call read
/// from, which is at its begin and takes no time: that is the other half's. Of operations that go on at once each tick
/// is in the time of one.
enum class Count { kCall, kSource, kLater };

struct Operation {
  int fd;
  uint64_t tag;
  uint64_t offset;  // with At::kOffset
  const void* buffer;
  int64_t result;       // bytes, or negative
  uint64_t start, end;  // ticks
  uint64_t asked;       // bytes; kAsMoved: those that were moved
  uint64_t shared = 0;  // with Count::kLater: ticks that others have in their time
  uint64_t file = 0;    // OpenFile::hash as it was before the call; 0: it was not looked at
};
inline constexpr uint64_t kAsMoved = ~uint64_t{0};

/// Finds the thread's shard for a tag it has not met in this layer. False: the file is gone or memory is out.
HEADRACE_COLD bool fill_cache(CachedFile& cached, uint64_t tag, Layer layer);
/// The same of a file that another thread closed while the call was under way, as a reader does that knows enough.
/// `hash`: Operation::file. Where the calling thread is in it is not known any more. No fold takes its record away
/// before the thread counts in another one so.
HEADRACE_COLD bool fill_with_closed(CachedFile& cached, uint64_t tag, uint64_t hash);
/// Counts an operation of a descriptor that has no record: by its rule where it is excluded, else in no file. `why`: as
/// far as the caller knows; `call.end`: 0 where it was just now, then `call.start`: 0 where that was not taken.
HEADRACE_COLD void count_untracked(const ApartCall& call, int fd, const Apart* why = nullptr);
/// The same of an excluded one alone.
__attribute__((noinline)) void count_excluded(Fn function, uint64_t tag, DirectionIndex direction, int64_t result);
/// The same of one that is kUnknownTag, where it failed: a descriptor that is not open, mostly. Preserves errno.
HEADRACE_COLD void count_refused(Fn function, DirectionIndex direction, uint64_t start, uint64_t place, uint64_t asked);
/// Records what a copy took from its source. Inside a section.
HEADRACE_COLD void record_source(Fn function, const CachedFile& cached, const Operation& op, uint64_t place);
/// The one of a file that has none in that direction; null when memory is out. Kept in the cache if it is this
/// thread's.
HEADRACE_COLD Direction* new_direction(CachedFile& cached, DirectionIndex direction, uint64_t first_time);
void count_switch(CachedFile& cached);
/// Takes ticks out of times that have them once too often. Inside a section.
HEADRACE_COLD void take_shared(Fn function, Direction* d, DirectionIndex direction, uint64_t ticks);
HEADRACE_COLD void count_failure(const CachedFile& cached, DirectionIndex direction, Fn function, const Operation& op,
                                 uint64_t place);

/// The thread's entry for a tag; null: the file is gone or memory is out. Inside a section.
HEADRACE_INLINE CachedFile* cached_file(int fd, uint64_t tag, Layer layer, uint64_t hash = 0) {
  CachedFile& cached = self->cache[static_cast<uint32_t>(layer)][static_cast<uint32_t>(fd) % kCachedFiles];
  return HEADRACE_LIKELY(cached.tag == tag) || fill_cache(cached, tag, layer) ||
                 (layer == Layer::kPosix && fill_with_closed(cached, tag, hash))
             ? &cached
             : nullptr;
}

/// Counts `size` bytes at `offset`, which becomes the place that the next operation is compared with. True: a new run
/// began, which alone can hold a larger operation than before.
HEADRACE_INLINE bool count_run(Direction* d, uint64_t& offset, uint64_t size, bool known) {
  auto gap = static_cast<int64_t>(offset - d->last_end);
  const bool begins = size != d->run_size || gap != d->run_gap || size == 0 || !known;
  if (HEADRACE_UNLIKELY(begins)) {
    end_run(d, size, gap, known);
    if (size == 0) offset = d->last_end;  // an operation without bytes is nowhere
    if (!known) offset = -size;           // nor does the next one follow this
  } else {
    d->run_count++;
  }
  d->last_end = offset + size;
  return begins;
}

template <DirectionIndex D>
HEADRACE_INLINE void count_direction_change(CachedFile& cached) {
  if (HEADRACE_LIKELY(cached.last == D)) return;
  if (cached.last != 2) count_switch(cached);
  cached.last = D;
}

/// True: no operation of this thread on the file took longer.
HEADRACE_INLINE bool count_time(Direction* d, uint64_t spent, uint64_t end, uint64_t size) {
  d->time += spent;
  d->last_time = end;
  if (HEADRACE_LIKELY(spent <= d->max_time)) return false;
  d->max_time = spent;
  d->max_time_size = size;
  return true;
}

/// What is said of a read or write that is counted in no file.
HEADRACE_INLINE uint32_t does(DirectionIndex direction) { return direction == kRead ? kDoesRead : kDoesWrite; }

HEADRACE_INLINE void count_call(Fn function, DirectionIndex direction, uint64_t size, uint64_t spent) {
  if (Profile* p = profile_of(function, moves(direction)); HEADRACE_LIKELY(p != nullptr)) {
    p->calls++;
    p->bytes += size;
    p->time += spent;
    if (HEADRACE_UNLIKELY(spent > p->max_time)) p->max_time = spent;
  } else {
    count_without_room({function, kDoesOther, kUnknownTag, static_cast<int64_t>(size), 0, spent}, false);
  }
}

/// Counts one completed read or write of a tracked descriptor. Preserves errno.
template <DirectionIndex D, At A, Count C>
HEADRACE_INLINE void account(Fn function, const Operation& op) {
  Update update;
  uint64_t size = op.result > 0 ? static_cast<uint64_t>(op.result) : 0;
  const auto apart = [&] {
    constexpr bool kHalf = C == Count::kSource;
    return ApartCall{function, does(D), op.tag, op.result, kHalf ? op.end : op.start, op.end - op.shared, 1, kHalf};
  };
  if (HEADRACE_UNLIKELY(!update.enter())) return count_apart(apart());
  ThreadBlock* b = block;
  CachedFile* found = cached_file(op.fd, op.tag, Layer::kPosix, op.file);
  if (HEADRACE_UNLIKELY(!found)) {
    count_without_room(apart(), false);
    return update.leave();
  }
  CachedFile& cached = *found;
  const uint64_t start = C == Count::kSource ? op.end : op.start;
  uint64_t spent = op.end > start ? op.end - start : 0;
  if (HEADRACE_UNLIKELY(op.result < 0)) {
    const bool told = A == At::kOffset || (cached.file->unknown_position == 0 && !(D == kWrite && cached.file->append));
    const uint64_t place = A == At::kOffset ? op.offset : cached.file->position;
    count_failure(cached, D, function, op, told ? place : model::kUnknownPlace);
    return update.leave();
  }
  Direction* d = cached.directions[D];
  if (HEADRACE_UNLIKELY(d == nullptr)) {
    d = new_direction(cached, D, op.start);
    if (!d) {
      count_without_room(apart(), false);
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
  const uint64_t place = offset;
  bool notable = false;
  bool known = A == At::kPosition ? file->unknown_position == 0 : file->unknown_position < 2;
  if (HEADRACE_UNLIKELY(count_run(d, offset, size, known))) notable = size >= cached.large[D];
  d->unaligned_file += (offset & 4095) != 0 && size != 0 && known;
  d->unaligned_memory += (reinterpret_cast<uintptr_t>(op.buffer) & 7) != 0;
  count_direction_change<D>(cached);
  if (HEADRACE_UNLIKELY(count_time(d, spent, op.end, size))) notable |= spent >> 8 >= cached.slow[D];
  add_to_series(b, start, op.end, size, D);
  count_size(b, Layer::kPosix, D, size);
  if constexpr (C != Count::kSource) {
    count_call(function, D, size, spent);
    // In traces calls of a thread lie one inside of the other: what went on beside them is where it was seen to end.
    record_operation(moved_by(D), function, cached.handle, C == Count::kLater ? op.end : op.start, op.end,
                     known ? place : model::kUnknownPlace, op.asked == kAsMoved ? size : op.asked, size, 0);
    if constexpr (C == Count::kLater) take_shared(function, d, D, op.shared);
  } else {
    record_source(function, cached, op, known ? place : model::kUnknownPlace);
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
HEADRACE_INLINE auto transfer(Fn function, int fd, int64_t offset, Buffer buffer, Call call,
                              uint64_t asked = kAsMoved) {
  if (passes_by()) return call();
  uint64_t tag = tag_of(fd);
  if (HEADRACE_UNLIKELY(!is_tracked(tag))) {
    const uint64_t began = tag == kUnknownTag ? base::ticks() : 0;
    auto result = call();
    if (HEADRACE_LIKELY(is_excluded(tag)))
      count_excluded(function, tag, D, result);
    else
      count_untracked({function, does(D), tag, result, began, 0}, fd);
    if (result < 0 && tag == kUnknownTag)
      count_refused(function, D, began, A == At::kOffset ? static_cast<uint64_t>(offset) : model::kUnknownPlace,
                    asked == kAsMoved ? 0 : asked);
    return result;
  }
  uint64_t start = base::ticks();
  const uint64_t file = file_of(tag)->hash;
  InCall current;
  current.begin(static_cast<uint16_t>(function), moves(D), start, file);
  auto result = call();
  uint64_t end = base::ticks();
  current.end();
  account<D, A, Count::kCall>(function, {fd, tag, static_cast<uint64_t>(offset), buffer_after(buffer, result), result,
                                         start, end, asked, 0, file});
  return result;
}

/// Counts one half of a copy between two descriptors. One that failed is counted in the half that it would have
/// written.
template <DirectionIndex D>
HEADRACE_COLD void account_copy(Fn function, int fd, const int64_t* offset, int64_t result, uint64_t start,
                                uint64_t end, uint64_t asked) {
  constexpr Count kHalf = D == kWrite ? Count::kCall : Count::kSource;
  const uint64_t tag = tag_of(fd);
  const uint64_t moved = static_cast<uint64_t>(result > 0 ? result : 0);
  if (!is_tracked(tag)) {
    if (result < 0 && tag == kUnknownTag) count_refused(function, D, start, model::kUnknownPlace, asked);
    constexpr bool kIsHalf = kHalf == Count::kSource;
    return count_untracked({function, does(D), tag, result, kIsHalf ? end : start, end, 1, kIsHalf}, fd);
  }
  const bool placed = offset && result >= 0;  // after an error it may be an address that nobody can read
  const Operation op{fd, tag, placed ? static_cast<uint64_t>(*offset) - moved : 0, nullptr, result, start, end, asked};
  if (placed)
    account<D, At::kOffset, kHalf>(function, op);
  else
    account<D, At::kPosition, kHalf>(function, op);
}

}  // namespace headrace::capture
