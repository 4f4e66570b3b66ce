#include "capture/harvest/figures.h"

#include <algorithm>

namespace headrace::capture {
namespace {

namespace counter = model::counter;
using counter::Index;
__extension__ using Wide = __int128;

struct DirectionCounters {
  Index operations, bytes, time, max_time, max_size, consecutive, forward, backward, unaligned_file, unaligned_memory,
      end, errors, first, last;
};
constexpr DirectionCounters kOf[2] = {
    {counter::reads, counter::bytes_read, counter::read_ns, counter::read_max_ns, counter::read_max_size,
     counter::reads_consecutive, counter::reads_forward, counter::reads_backward, counter::reads_unaligned_file,
     counter::reads_unaligned_memory, counter::read_end, counter::read_errors, counter::first_read_at_ns,
     counter::last_read_at_ns},
    {counter::writes, counter::bytes_written, counter::write_ns, counter::write_max_ns, counter::write_max_size,
     counter::writes_consecutive, counter::writes_forward, counter::writes_backward, counter::writes_unaligned_file,
     counter::writes_unaligned_memory, counter::write_end, counter::write_errors, counter::first_write_at_ns,
     counter::last_write_at_ns},
};

using M = Metadata;
constexpr struct {
  M::Count from;
  Index to;
} kCounts[] = {
    {M::kDuplicates, counter::duplicates},
    {M::kSeeks, counter::seeks},
    {M::kStats, counter::stats},
    {M::kSyncs, counter::syncs},
    {M::kTruncates, counter::truncates},
    {M::kAllocates, counter::allocates},
    {M::kAdvises, counter::advises},
    {M::kMaps, counter::maps},
    {M::kLocks, counter::locks},
    {M::kRenames, counter::renames},
    {M::kUnlinks, counter::unlinks},
    {M::kLinks, counter::links},
    {M::kMakes, counter::makes},
    {M::kDirectoryReads, counter::directory_reads},
    {M::kAttributes, counter::attributes},
    {M::kControls, counter::controls},
    {M::kErrors, counter::meta_errors},
    {M::kFlushes, counter::flushes},
    {M::kSystemReads, counter::system_reads},
    {M::kSystemWrites, counter::system_writes},
    {M::kFoldedFiles, counter::folded_files},
};
static_assert(std::size(kCounts) == M::kCounts);

struct Run {
  uint64_t count, size;
  int64_t gap;
};

void add_run(model::FileRecord& record, uint32_t direction, const Run& run) {
  if (run.count == 0) return;
  const DirectionCounters& at = kOf[direction];
  record[at.operations] += run.count;
  record[at.bytes] += run.count * run.size;
  record.sizes[direction].add(run.size, run.count);
  record.common_sizes[direction].add(static_cast<int64_t>(run.size), run.count);
  if (run.gap == kUnknownGap) return;
  record[run.gap == 0 ? at.consecutive : run.gap > 0 ? at.forward : at.backward] += run.count;
  if (run.gap != 0) record.common_strides[direction].add(run.gap, run.count);
}

bool add_detail(model::FileRecord& record, uint32_t direction, const Detail& detail) {
  const DirectionCounters& at = kOf[direction];
  record[at.operations] += detail.operations;
  record[at.bytes] += detail.bytes;
  record[at.errors] += detail.errors;
  record[at.consecutive] += detail.consecutive;
  record[at.forward] += detail.forward;
  record[at.backward] += detail.backward;
  record[at.end] = std::max(record[at.end], detail.furthest_end);
  Wide in_buckets = 0;
  for (uint32_t b = 0; b < kSizeBuckets; ++b) {
    record.sizes[direction].counts[b] += detail.histogram[b];
    in_buckets += detail.histogram[b];
  }
  for (uint32_t i = 0; i < kCommonValues; ++i) {
    record.common_sizes[direction].add(detail.common_size[i], detail.common_size_count[i]);
    record.common_strides[direction].add(detail.stride[i], detail.stride_count[i]);
  }
  if (detail.sizes_evicted != 0) record.common_sizes[direction].exact = false;
  if (detail.strides_evicted != 0) record.common_strides[direction].exact = false;
  const Wide in_pattern = static_cast<Wide>(detail.consecutive) + detail.forward + detail.backward;
  return in_buckets == detail.operations && in_pattern <= detail.operations;
}

/// Ends of the runs that are not in the Detail. Inside a run they rise or fall steadily, so the furthest is the first
/// or the last; the run before ended `run_gap` before the current one began.
void add_ends(model::FileRecord& record, Index end, const Direction& d) {
  if (d.run_count == 0) return;
  if (d.run_gap == kUnknownGap) {  // the first operation; 0: not known
    if (d.last_end <= static_cast<uint64_t>(INT64_MAX)) record[end] = std::max(record[end], d.last_end);
    return;
  }
  constexpr uint64_t kMost = INT64_MAX / 2;  // beyond it the block was scribbled over, and the product below overflows
  if (d.run_count > kMost || d.run_size > kMost) return;
  const Wide last = d.last_end, step = static_cast<Wide>(d.run_size) + d.run_gap;
  const Wide first = last - step * (d.run_count - 1), before = last - step * d.run_count;
  Wide furthest = std::max(last, first);
  if (d.previous_count != 0) furthest = std::max(furthest, before);
  if (furthest > static_cast<Wide>(INT64_MAX)) return;  // no file is that large: the block was scribbled over
  if (furthest > 0) record[end] = std::max(record[end], static_cast<uint64_t>(furthest));
}

/// Whether the first operation counts as one that followed another (Direction).
bool began_at_zero(const Direction& d, const Detail* detail) {
  if (detail != nullptr) return detail->began_at_zero != 0;
  return d.previous_count != 0 ? d.previous_gap == 0 : d.run_count != 0 && d.run_gap == 0;
}

void keep_first(uint64_t& kept, uint64_t ticks) {
  if (ticks != 0 && (kept == 0 || ticks < kept)) kept = ticks;
}

}  // namespace

model::FileKind kind_of(RecordKind kind) {
  switch (kind) {
    case RecordKind::kDirectory:
      return model::FileKind::kDirectory;
    case RecordKind::kDevice:
      return model::FileKind::kDevice;
    case RecordKind::kPipe:
      return model::FileKind::kPipe;
    case RecordKind::kSocket:
      return model::FileKind::kSocket;
    case RecordKind::kAnonymous:
      return model::FileKind::kAnonymous;
    case RecordKind::kStream:
      return model::FileKind::kStream;
    case RecordKind::kDirectoryRollup:
      return model::FileKind::kDirectoryRollup;
    case RecordKind::kDataset:
      return model::FileKind::kDataset;
    case RecordKind::kFile:
      break;
  }
  return model::FileKind::kFile;
}

bool add_direction(model::FileRecord& record, uint32_t direction, const Direction& figures, const Detail* detail) {
  const DirectionCounters& at = kOf[direction];
  const bool sound = detail == nullptr || add_detail(record, direction, *detail);
  add_run(record, direction, {figures.previous_count, figures.previous_size, figures.previous_gap});
  add_run(record, direction, {figures.run_count, figures.run_size, figures.run_gap});
  if (began_at_zero(figures, detail) && record[at.consecutive] > 0) record[at.consecutive]--;
  add_ends(record, at.end, figures);
  record[at.operations] += figures.zeros;
  record.sizes[direction].add(0, figures.zeros);
  record[at.errors] += figures.errors;
  record[at.time] += figures.time;
  record[at.unaligned_file] += figures.unaligned_file;
  record[at.unaligned_memory] += figures.unaligned_memory;
  if (figures.max_time > record[at.max_time]) {
    record[at.max_time] = figures.max_time;
    record[at.max_size] = figures.max_time_size;
  } else if (figures.max_time == record[at.max_time]) {
    record[at.max_size] = std::max(record[at.max_size], figures.max_time_size);
  }
  keep_first(record[at.first], figures.first_time);
  record[at.last] = std::max(record[at.last], figures.last_time);
  return sound;
}

void add_metadata(model::FileRecord& record, const Metadata& counts) {
  for (const auto& [from, to] : kCounts) record[to] += counts.count[from];
  record[counter::mapped_bytes] += counts.mapped_bytes;
  record[counter::system_bytes_read] += counts.system_bytes[kRead];
  record[counter::system_bytes_written] += counts.system_bytes[kWrite];
  record[counter::buffer_bytes] = std::max<uint64_t>(record[counter::buffer_bytes], counts.buffer_bytes);
  record[counter::size_at_open] = std::max(record[counter::size_at_open], counts.size_at_open);
}

Index counter_of(Metadata::Count which) {
  for (const auto& [from, to] : kCounts)
    if (from == which) return to;
  return counter::controls;
}

void add_library(model::FileRecord& record, const LibraryCounts& counts) {
  using L = LibraryCounts;
  record[counter::opens_collective] += counts.count[L::kCollectiveOpens];
  record[counter::views] += counts.count[L::kViews];
  static constexpr struct {
    L::Count from;
    Index to[2];
  } kPairs[] = {
      {L::kCollective, {counter::reads_collective, counter::writes_collective}},
      {L::kNonblocking, {counter::reads_nonblocking, counter::writes_nonblocking}},
      {L::kSplit, {counter::reads_split, counter::writes_split}},
      {L::kSharedPointer, {counter::reads_shared_pointer, counter::writes_shared_pointer}},
      {L::kNoncontiguous, {counter::reads_noncontiguous, counter::writes_noncontiguous}},
  };
  static_assert(2 * std::size(kPairs) + 2 == L::kCounts);
  for (const auto& [from, to] : kPairs)
    for (uint32_t d = 0; d < 2; ++d) record[to[d]] += counts.count[from + d];
}

void add_shard(model::FileRecord& record, const Shard& shard) {
  record[counter::opens] += shard.opens;
  record[counter::closes] += shard.closes;
  record[counter::flags] |= shard.flags;
  record[counter::switches] += shard.switches;
  record[counter::meta_ns] += shard.meta_time;
  record[counter::meta_max_ns] = std::max(record[counter::meta_max_ns], shard.max_meta_time);
  keep_first(record[counter::first_open_at_ns], shard.first_open);
}

void convert_times(model::FileRecord& record, const ClockMap& clock) {
  for (uint32_t i = 0; i < counter::kCount; ++i) {
    uint64_t& value = record.counters[i];
    if (value == 0) continue;
    if (model::kCounters[i].unit == model::Unit::ns) value = clock.duration_ns(value);
    if (model::kCounters[i].unit == model::Unit::at_ns) value = clock.at_ns(value);
  }
}

}  // namespace headrace::capture
