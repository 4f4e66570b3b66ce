#include "capture/recorder/runs.h"

#include "capture/recorder/fold.h"
#include "capture/recorder/records.h"
#include "capture/recorder/shared_shards.h"

namespace headrace::capture {
namespace {

uint32_t bucket_of(uint64_t size) {
  if (size < 2) return 0;
  auto bucket = static_cast<uint32_t>(64 - __builtin_clzll(size - 1));
  return bucket < kSizeBuckets ? bucket : kSizeBuckets - 1;
}

/// How the words of a Detail are changed: through the journal in the program's own updates, plainly in a fold, which
/// has a copy of the whole block to go back to.
struct Plainly {
  template <typename T>
  void set(T& word, T value) {
    word = value;
  }
};

/// Index of the entry to count `value` in: its own, a free one, or the least (space-saving sketch, Metwally et al.
/// 2005).
template <typename V>
uint32_t common_entry(const V* values, const uint64_t* counts, V value, bool& evicts) {
  uint32_t least = 0;
  for (uint32_t i = 0; i < kCommonValues; ++i) {
    if (counts[i] && values[i] == value) return i;
    if (counts[i] < counts[least]) least = i;
  }
  evicts = counts[least] != 0;
  return least;
}

template <typename Change>
void add_size(Change& change, Detail* detail, uint32_t size, uint64_t n) {
  bool evicts = false;
  uint32_t i = common_entry(detail->common_size, detail->common_size_count, size, evicts);
  // Two sizes share a word, so the pair is what is journalled.
  auto* pair = reinterpret_cast<uint64_t*>(&detail->common_size[i & ~1u]);
  uint64_t shift = (i & 1) * 32, with = (*pair & ~(uint64_t{0xffffffff} << shift)) | (uint64_t{size} << shift);
  if (evicts) detail->sizes_evicted = 1;
  change.set(*pair, with);
  change.set(detail->common_size_count[i], detail->common_size_count[i] + n);
}

template <typename Change>
void count_stride(Change& change, Detail* detail, int64_t gap, uint64_t n) {
  bool evicts = false;
  uint32_t i = common_entry(detail->stride, detail->stride_count, gap, evicts);
  if (evicts) detail->strides_evicted = 1;
  change.set(detail->stride[i], gap);
  change.set(detail->stride_count[i], detail->stride_count[i] + n);
}

template <typename Change>
void add_run(Change& change, Detail* detail, uint64_t n, uint64_t size, int64_t gap) {
  if (n == 0) return;
  change.set(detail->operations, detail->operations + n);
  change.set(detail->bytes, detail->bytes + n * size);
  uint32_t bucket = bucket_of(size);
  change.set(detail->histogram[bucket], detail->histogram[bucket] + n);
  add_size(change, detail, size > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(size), n);
  if (gap == kUnknownGap) return;
  uint64_t& pattern = gap == 0 ? detail->consecutive : gap > 0 ? detail->forward : detail->backward;
  change.set(pattern, pattern + n);
  if (gap != 0) count_stride(change, detail, gap, n);
}

/// Whether the first operation counts as one that followed another (Direction).
bool began_at_zero(const Direction& d) {
  if (d.detail) return at<Detail>(d.detail)->began_at_zero != 0;
  return d.previous_count ? d.previous_gap == 0 : d.run_count != 0 && d.run_gap == 0;
}

uint64_t run_end(const Direction& d) {
  // Within a run the ends rise or fall steadily, so the furthest is the first or the last.
  if (d.run_count == 0) return 0;
  if (d.run_gap == kUnknownGap) return d.last_end;  // of the first operation; 0: not known
  int64_t step = static_cast<int64_t>(d.run_size) + d.run_gap;
  uint64_t first = d.last_end - static_cast<uint64_t>(step) * (d.run_count - 1);
  return step < 0 ? first : d.last_end;
}

/// Where the run before the current one ended: the current one began `run_gap` behind it.
uint64_t previous_end(const Direction& d) {
  if (d.previous_count == 0 || d.run_count == 0 || d.run_gap == kUnknownGap) return 0;
  int64_t step = static_cast<int64_t>(d.run_size) + d.run_gap;
  return d.last_end - static_cast<uint64_t>(step) * d.run_count;
}

/// The end of the furthest byte of the runs that are not in the Detail yet.
uint64_t furthest_end(const Direction& d) {
  uint64_t last = run_end(d), previous = previous_end(d);
  return last > previous ? last : previous;
}

Detail* detail_of(Direction* direction) {
  if (direction->detail) return at<Detail>(direction->detail);
  take_in_hand(at<Shard>(direction->shard));
  Referenced kept(at<Shard>(direction->shard)->record);
  SpoolLock lock;
  uint32_t offset = allocate(sizeof(Detail));
  if (!offset && fold_some()) offset = allocate(sizeof(Detail));
  if (offset) at<Detail>(offset)->began_at_zero = began_at_zero(*direction);
  direction->detail = offset;
  return offset ? at<Detail>(offset) : nullptr;
}

/// Where runs of a direction that finds no room for its own Detail are counted; null: nowhere.
Detail* detail_elsewhere(const Direction& direction) {
  const Shard* own = at<Shard>(direction.shard);
  const DirectionIndex index = own->directions[kWrite] == offset_of(&direction) ? kWrite : kRead;
  Shard* shared = is_shared(own) ? nullptr : shard_without_room(own->record, own->layer);
  return shared ? at<Detail>(at<Direction>(shared->directions[index])->detail) : nullptr;
}

void count_zero(Direction* direction) {
  if (HEADRACE_LIKELY(direction->zeros != UINT32_MAX)) {
    direction->zeros++;
    return;
  }
  if (Detail* detail = detail_of(direction)) {
    Journal journal(block);
    journal.set(detail->operations, detail->operations + direction->zeros);
    journal.set(detail->histogram[0], detail->histogram[0] + direction->zeros);
    auto* word = reinterpret_cast<uint64_t*>(&direction->zeros);  // zeros and errors share it
    journal.set(*word, (*word & ~uint64_t{UINT32_MAX}) | 1);
  }
}

}  // namespace

void end_run(Direction* d, uint64_t size, int64_t gap, bool offset_known) {
  if (size == 0) return count_zero(d);
  // What comes after an operation of which nobody knows where it was is behind or before nothing, either.
  const bool follows_unknown = d->run_count != 0 && d->run_gap == kUnknownGap && d->last_end == 0;
  if (!offset_known || follows_unknown) gap = kUnknownGap;
  if (d->run_size == size && d->run_gap == gap) {
    d->run_count++;
    return;
  }
  if (d->run_count == 0) {                    // the first operation
    d->run_gap = gap == 0 ? 0 : kUnknownGap;  // there is nothing that it could be behind or before
    d->run_size = size;
    std::atomic_signal_fence(std::memory_order_release);
    d->run_count = 1;
    return;
  }
  Detail* detail = d->previous_count || d->run_gap != 0 ? detail_of(d) : nullptr;
  uint64_t end = detail ? furthest_end(*d) : 0;
  const bool lacks = !detail && d->previous_count;
  Detail* elsewhere = lacks ? detail_elsewhere(*d) : nullptr;
  Journal journal(block);
  if (elsewhere) add_run(journal, elsewhere, d->previous_count, d->previous_size, kUnknownGap);
  if (detail) {
    add_run(journal, detail, d->previous_count, d->previous_size, d->previous_gap);
    if (end > detail->furthest_end) journal.set(detail->furthest_end, end);
  }
  if (lacks && !elsewhere) {  // no memory even after a fold: the totals keep it, the file does not
    const Shard* shard = at<Shard>(d->shard);
    const uint32_t index = shard->directions[kWrite] == offset_of(d), layer = static_cast<uint32_t>(shard->layer);
    journal.set(block->left_runs[layer][index], block->left_runs[layer][index] + d->previous_count);
    journal.set(block->left_bytes[layer][index],
                block->left_bytes[layer][index] + d->previous_count * d->previous_size);
  }
  journal.set(d->previous_count, d->run_count);
  journal.set(d->previous_size, d->run_size);
  journal.set(d->previous_gap, d->run_gap);
  journal.set(d->run_size, size);
  journal.set(d->run_gap, gap);
  journal.set(d->run_count, uint64_t{1});
}

void count_error(Direction* d) {
  if (HEADRACE_LIKELY(d->errors != UINT32_MAX)) {
    d->errors++;
    return;
  }
  if (Detail* detail = detail_of(d)) {
    Journal journal(block);
    journal.set(detail->errors, detail->errors + d->errors);
    auto* word = reinterpret_cast<uint64_t*>(&d->zeros);
    journal.set(*word, (*word & UINT32_MAX) | uint64_t{1} << 32);
  }
}

uint64_t bytes_of(const Direction& d) {
  return (d.detail ? at<Detail>(d.detail)->bytes : 0) + d.previous_count * d.previous_size + d.run_count * d.run_size;
}

void add_direction(Direction* to, const Direction& from) {
  Plainly plainly;
  Detail* sum = at<Detail>(to->detail);
  add_run(plainly, sum, from.previous_count, from.previous_size, from.previous_gap);
  add_run(plainly, sum, from.run_count, from.run_size, from.run_gap);
  sum->consecutive -= began_at_zero(from);
  sum->operations += from.zeros;
  sum->histogram[0] += from.zeros;
  sum->errors += from.errors;
  if (from.detail) {
    const Detail* detail = at<Detail>(from.detail);
    sum->operations += detail->operations;
    sum->bytes += detail->bytes;
    sum->consecutive += detail->consecutive;
    sum->forward += detail->forward;
    sum->backward += detail->backward;
    sum->errors += detail->errors;
    for (uint32_t i = 0; i < kSizeBuckets; ++i) sum->histogram[i] += detail->histogram[i];
    for (uint32_t i = 0; i < kCommonValues; ++i) {
      if (detail->common_size_count[i]) add_size(plainly, sum, detail->common_size[i], detail->common_size_count[i]);
      if (detail->stride_count[i]) count_stride(plainly, sum, detail->stride[i], detail->stride_count[i]);
    }
    sum->sizes_evicted |= detail->sizes_evicted;
    sum->strides_evicted |= detail->strides_evicted;
    if (detail->furthest_end > sum->furthest_end) sum->furthest_end = detail->furthest_end;
  }
  if (uint64_t end = furthest_end(from); end > sum->furthest_end) sum->furthest_end = end;
  to->time += from.time;
  to->unaligned_file += from.unaligned_file;
  to->unaligned_memory += from.unaligned_memory;
  if (from.max_time > to->max_time) {
    to->max_time = from.max_time;
    to->max_time_size = from.max_time_size;
  }
  if (from.last_time > to->last_time) to->last_time = from.last_time;
  if (!to->first_time || (from.first_time && from.first_time < to->first_time)) to->first_time = from.first_time;
}

}  // namespace headrace::capture
