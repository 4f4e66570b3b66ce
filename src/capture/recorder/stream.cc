#include "capture/recorder/stream.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/uio.h>
#include <wchar.h>

#include <algorithm>

#include "base/kernel.h"
#include "capture/recorder/flags.h"
#include "capture/recorder/records.h"

namespace headrace::capture {
namespace {

/// The stream's entry in the cache of its thread; null when it is not followed. Inside a section.
CachedFile* entry_of_stream(const FILE* stream, uint64_t tag) {
  return is_tracked(tag) ? cached_file(number_of(stream), tag, Layer::kStdio) : nullptr;
}

/// The one whose view of a buffer counts, without its thread.
constexpr uint64_t kStreamAndDirection = 0x0000ffffffffffff;

/// Counts what waits in the view that somebody has of the stream.
template <DirectionIndex D>
void settle_direction(CachedFile& cached, const FILE* stream) {
  OpenFile* file = cached.file;
  if (file->stream_owner == kNobody ||
      (file->stream_owner & kStreamAndDirection) != (owner_of(stream, D) & kStreamAndDirection))
    return;
  if (held<D>(stream) != file->stream_seen) count_waiting(cached, D, stream, held<D>(stream));
  file->stream_owner = 0;
}

/// Whether the stream of a view is still one of this file: it may have been freed by a call that was not seen, so the
/// kernel looks at it first.
bool is_alive(const OpenFile& file) {
  FILE copy;
  const struct iovec to = {&copy, offsetof(FILE, _flags2)},
                     from = {stream_of(file.stream_owner), offsetof(FILE, _flags2)};
  const long process = base::kernel_call(SYS_getpid);
  if (base::kernel_call(SYS_process_vm_readv, process, &to, 1, &from, 1, 0) != static_cast<long>(to.iov_len))
    return false;
  constexpr unsigned kMagic = 0xfbad0000;  // _IO_MAGIC of glibc's libio.h
  if ((static_cast<unsigned>(copy._flags) & 0xffff0000) != kMagic) return false;
  std::atomic<uint64_t>* entry = entry_of(number_of(&copy));
  const uint64_t tag = entry ? entry->load() : kUnknownTag;
  return is_tracked(tag) && file_of(tag) == &file;
}

/// Time in which a call wrote out a buffer belongs to the writes.
void count_written_out(CachedFile& cached, const FILE* stream, uint64_t written, Timed time) {
  Direction* d = direction_of(cached.shard, kWrite, time.start);
  if (!d) return unattributed(2, 0);
  d->time += time.spent();
  if (time.end > d->last_time) d->last_time = time.end;
  cached.directions[kWrite] = d;
  count_reached(cached, kWrite, stream, written);
}

/// True: the code that made the call is worth knowing (call_sites.h).
template <DirectionIndex D>
bool count_stream_call(CachedFile& cached, Direction* d, Fn function, const StreamCall& call, uint64_t size,
                       bool wide) {
  OpenFile* file = cached.file;
  const uint64_t after = held<D>(call.stream);
  if (call.held != file->stream_seen && file->stream_owner == owner_of(call.stream, D))
    count_waiting(cached, D, call.stream, call.held);
  file->stream_seen = static_cast<uint32_t>(after);
  if (function == Fn::__uflow || function == Fn::__overflow) cached.shard->flags |= flag::lower_bound;
  uint64_t offset = next_offset(file, D, d);
  file->stream_position = offset + size;
  bool notable = count_run(d, offset, size, file->unknown_stream_position == 0) && size >= cached.large[D];
  count_direction_change<D>(cached);
  uint64_t spent = call.end > call.start ? call.end - call.start : 0;
  if (count_time(d, spent, call.end, size)) notable |= spent >> 8 >= cached.slow[D];
  add_to_series(block, call.start, call.end, size, D);
  if ((after != call.held + size || size == 0) && !wide)
    count_reached(cached, D, call.stream,
                  D == kRead ? size + room<kRead>(call.stream) - call.room : call.held + size - after);
  count_call(function, size, spent);
  if (notable) raise_thresholds(cached, D, size, spent);
  return notable;
}

void count_profile(Fn function, bool ok, Timed time) {
  Profile* p = profile_of(function);
  if (!p) return unattributed(2, 0);
  p->calls++;
  p->errors += !ok;
  p->time += time.spent();
  if (time.spent() > p->max_time) p->max_time = time.spent();
  if (ok) add_to_series(block, time.start, time.end, 0, kOther);
}

}  // namespace

void count_untracked(uint64_t tag, DirectionIndex direction, int64_t result) {
  if (is_excluded(tag))
    count_excluded(tag, direction, result);
  else if (result >= 0 && state.enabled)
    unattributed(direction, static_cast<uint64_t>(result));
}

void count_reached(CachedFile& cached, DirectionIndex direction, const FILE* stream, uint64_t bytes) {
  count(cached.shard, direction == kRead ? Metadata::kSystemReads : Metadata::kSystemWrites);
  Metadata* metadata = metadata_of(cached.shard);
  if (!metadata) return;
  // Threads that share a stream may see its buffer between two states.
  if (static_cast<int64_t>(bytes) > 0) metadata->system_bytes[direction] += bytes;
  auto size = static_cast<uint64_t>(stream->_IO_buf_end - stream->_IO_buf_base);
  if (size > metadata->buffer_bytes)
    metadata->buffer_bytes = size < UINT32_MAX ? static_cast<uint32_t>(size) : UINT32_MAX;
  if (cached.file->unknown_position == 0) cached.file->unknown_position = 1;  // the system's moved with the buffer
}

void change_owner(FILE* stream, uint64_t tag, uint64_t owner) {
  if (in_vfork_child() || !is_current(tag)) return;
  OpenFile* file = file_of(tag);
  const uint64_t former = file->stream_owner;
  if (former == kNobody) return;
  const bool same_stream = former == 0 || stream_of(former) == stream;
  if (former != 0 && (same_stream || is_alive(*file))) settle(stream_of(former));
  const bool same_thread = former == 0 || (former ^ owner) == 1;
  file->stream_seen = static_cast<uint32_t>((owner & 1) == kRead ? held<kRead>(stream) : held<kWrite>(stream));
  file->byte_functions[0] = file->byte_functions[1] = 0;
  file->stream_owner = same_stream && same_thread ? owner : kNobody;
}

void let_wait(FILE* stream, DirectionIndex direction, Fn function) {
  uint64_t tag = tag_of(number_of(stream));
  if (!__libc_single_threaded || !is_tracked(tag) || !is_current(tag)) return;
  OpenFile* file = file_of(tag);
  // The call itself was counted just now, and with it what waited.
  if (file->stream_owner == owner_of(stream, direction))
    file->byte_functions[direction] = static_cast<uint16_t>(function);
}

void count_waiting(CachedFile& cached, DirectionIndex direction, const FILE* stream, uint64_t held) {
  OpenFile* file = cached.file;
  const uint64_t moved = held - file->stream_seen;
  file->stream_seen = static_cast<uint32_t>(held);
  // A buffer that lost bytes was emptied by a call that is not seen, such as fflush(NULL).
  if (static_cast<int64_t>(moved) <= 0 || moved > static_cast<uint64_t>(stream->_IO_buf_end - stream->_IO_buf_base))
    return;
  Direction* d = direction_of(cached.shard, direction, base::ticks());
  if (!d) return unattributed(direction, moved);
  cached.directions[direction] = d;
  auto function = static_cast<Fn>(file->byte_functions[direction]);
  if (function == kInlined) {
    function = direction == kRead ? Fn::fgetc_unlocked : Fn::fputc_unlocked;
    cached.shard->flags |= flag::lower_bound;
  }
  const bool known = file->unknown_stream_position == 0;
  uint64_t position = next_offset(file, direction, d);
  file->stream_position = position + moved;
  for (uint64_t i = 0; i < moved && i < 2; ++i) {
    uint64_t offset = position++;
    count_run(d, offset, 1, known);
  }
  if (moved > 2) {  // by now the run is one of single bytes
    if (known) d->last_end += moved - 2;
    d->run_count += moved - 2;
  }
  block->series[block->last_bin].bytes[direction] += moved;
  block->series[block->last_bin].operations[direction] += moved;
  if (Profile* p = profile_of(function)) {
    p->calls += moved;
    p->bytes += moved;
  }
}

template <DirectionIndex D>
void account_any(Fn function, const StreamCall& call, int64_t result, bool wide) {
  Update update;
  uint64_t size = result > 0 ? static_cast<uint64_t>(result) : 0;
  bool notable = false;
  if (!update.enter()) return unattributed(D, size);
  CachedFile* cached = cached_file(call.fd, call.tag, Layer::kStdio);
  Direction* d = cached && result >= 0 ? direction_of(cached->shard, D, call.start) : nullptr;
  if (cached && result < 0) {
    count_failure(*cached, D, function, call.end > call.start ? call.end - call.start : 0, call.start);
    if (cached->file->stream_owner != kNobody) cached->file->stream_owner = 0;
  } else if (!d) {
    unattributed(D, size);
  } else {
    cached->directions[D] = d;
    block->current = offset_of(d);
    notable = count_stream_call<D>(*cached, d, function, call, size, wide);
  }
  const uint64_t record = notable ? cached->file->hash : 0;
  update.leave();
  if (notable) note_operation(record, D, size, call.end > call.start ? call.end - call.start : 0, call.end);
}

template void account_any<kRead>(Fn, const StreamCall&, int64_t, bool);
template void account_any<kWrite>(Fn, const StreamCall&, int64_t, bool);

uint64_t settle(FILE* stream) {
  if (in_vfork_child()) return 0;
  uint64_t tag = tag_of(number_of(stream));
  Update update;
  if (!is_tracked(tag) || !update.enter_anew()) return 0;
  if (CachedFile* cached = entry_of_stream(stream, tag)) {
    settle_direction<kRead>(*cached, stream);
    settle_direction<kWrite>(*cached, stream);
  }
  update.leave();
  return held<kWrite>(stream);
}

void settle_all() {
  if (in_vfork_child() || !state.files || !ready()) return;
  const uint32_t slots = std::min(state.next_file.load(), kMaximumOpenFiles);
  for (uint32_t slot = 1; slot < slots; ++slot) {
    const OpenFile& file = state.files[slot];
    if (file.record == 0 || file.stream_owner == 0 || file.stream_owner == kNobody) continue;
    if (is_alive(file)) settle(stream_of(file.stream_owner));
  }
}

void stream_call(Fn function, FILE* stream, Metadata::Count which, bool ok, Timed time, uint64_t written) {
  if (in_vfork_child()) return unattributed(2, 0);
  uint64_t tag = tag_of(number_of(stream));
  Update update;
  if (!update.enter_anew()) return unattributed(2, 0);
  if (CachedFile* cached = entry_of_stream(stream, tag)) {
    if (!ok || which != Metadata::kCounts) count(cached->shard, ok ? which : Metadata::kErrors);
    if (written) {
      count_written_out(*cached, stream, written, time);
    } else {
      cached->shard->meta_time += time.spent();
      if (time.spent() > cached->shard->max_meta_time) cached->shard->max_meta_time = time.spent();
    }
  } else if (is_excluded(tag)) {
    update.leave();
    return count_untracked(tag, kWrite, -1);
  }
  count_profile(function, ok, time);
  update.leave();
}

void stream_closed(Fn function, uint64_t tag, Timed time, uint64_t written) {
  Update update;
  if (written && is_tracked(tag) && update.enter_anew()) {
    OpenFile* file = file_of(tag);
    Shard* shard = is_current(tag) && file->record ? shard_of(file->record, Layer::kStdio) : nullptr;
    Direction* d = shard ? direction_of(shard, kWrite, time.start) : nullptr;
    if (d) {
      d->time += time.spent();
      if (time.end > d->last_time) d->last_time = time.end;
      count(shard, Metadata::kSystemWrites);
      if (Metadata* metadata = metadata_of(shard)) metadata->system_bytes[kWrite] += written;
    }
    update.leave();
  } else {
    written = 0;
  }
  closed(function, tag, time, written ? time.spent() : 0);
}

void stream_moved(FILE* stream, int64_t position) {
  if (in_vfork_child()) return;
  uint64_t tag = tag_of(number_of(stream));
  if (!is_tracked(tag) || !is_current(tag)) return;
  OpenFile* file = file_of(tag);
  if (file->unknown_position == 0) file->unknown_position = 1;
  if (position < 0) {
    file->unknown_stream_position |= 1;
    return;
  }
  file->stream_position = static_cast<uint64_t>(position);
  file->unknown_stream_position &= static_cast<uint8_t>(~1u);
}

void stream_moved_by(FILE* stream, int64_t distance) {
  if (in_vfork_child()) return;
  uint64_t tag = tag_of(number_of(stream));
  if (!is_tracked(tag) || !is_current(tag)) return;
  OpenFile* file = file_of(tag);
  file->stream_position += static_cast<uint64_t>(distance);
  if (file->unknown_position == 0) file->unknown_position = 1;
}

void stream_attached(FILE* stream) {
  if (in_vfork_child()) return;
  uint64_t tag = tag_of(number_of(stream));
  if (!is_tracked(tag) || !is_current(tag)) return;
  OpenFile* file = file_of(tag);
  file->stream_position = file->position;
  file->unknown_stream_position = file->unknown_position;
  file->stream_owner = 0;
}

void opened_unnamed(Fn function, int fd, Timed time) {
  char link[40], path[200];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = base::kernel_call(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
  if (length <= 0) {
    forget_descriptor(fd);
    return plain_call(function, true, time);
  }
  path[length] = 0;
  if (char* deleted = strstr(path, " (deleted)")) *deleted = 0;
  opened(function, fd, AT_FDCWD, path, O_RDWR, flag::temporary, time);
}

uint64_t bytes_taken(const StreamCall& call) {
  const uint64_t after = held<kRead>(call.stream);
  const bool same_buffer = call.stream->_IO_read_end == call.read_end && after >= call.held;
  return same_buffer ? after - call.held : call.room + after;
}

int64_t bytes_of_wide(const wchar_t* text, size_t count) {
  int saved = errno;
  mbstate_t conversion{};
  size_t bytes = wcsnrtombs(nullptr, &text, count, 0, &conversion);
  errno = saved;
  return static_cast<int64_t>(bytes == static_cast<size_t>(-1) ? count : bytes);
}

void mark_lower_bound(FILE* stream) {
  uint64_t tag = tag_of(number_of(stream));
  Update update;
  if (!is_tracked(tag) || !update.enter_anew()) return;
  if (CachedFile* cached = entry_of_stream(stream, tag)) cached->shard->flags |= flag::lower_bound;
  update.leave();
}

}  // namespace headrace::capture
