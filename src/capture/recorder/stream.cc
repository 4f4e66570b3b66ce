#include "capture/recorder/stream.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <wchar.h>

#include <algorithm>

#include "base/kernel.h"
#include "base/start_code.h"
#include "capture/recorder/flags.h"
#include "capture/recorder/readable.h"
#include "capture/recorder/records.h"

namespace headrace::capture {
namespace {

/// The stream's entry in the cache of its thread; null when it is not followed. Inside a section.
CachedFile* entry_of_stream(const FILE* stream, uint64_t tag) {
  return is_tracked(tag) ? cached_file(number_of(stream), tag, Layer::kStdio) : nullptr;
}

bool may_wait = true;

/// The one whose view of a buffer counts, without its thread.
constexpr uint64_t kStreamAndDirection = 0x0000ffffffffffff;

/// In place of a thread in a view that the next one that uses the stream takes over.
constexpr uint64_t kAnyThread = uint64_t{0xffff} << 48;

/// Whether what waits in a view can be told: another thread may be in the middle of a call that moves the buffer.
bool is_settled_here(uint64_t owner) {
  if (__libc_single_threaded || owner == 0) return true;
  return (owner >> 48) == (kAnyThread >> 48) || (block && (owner >> 48) == block->id);
}

/// The stream was moved, flushed or failed: what is inlined next is seen from here on.
void watch(OpenFile* file, const FILE* stream) {
  if (file->stream_owner == kNobody) return;
  if (!is_settled_here(file->stream_owner)) {
    file->stream_owner = kNobody;
    return;
  }
  constexpr int kPutting = 0x800;  // _IO_CURRENTLY_PUTTING of glibc's libio.h
  const DirectionIndex direction = stream->_flags & kPutting ? kWrite : kRead;
  file->stream_seen = static_cast<uint32_t>(direction == kWrite ? held<kWrite>(stream) : held<kRead>(stream));
  file->byte_functions[0] = file->byte_functions[1] = 0;
  file->stream_owner = (owner_of(stream, direction) & kStreamAndDirection) | kAnyThread;
}

/// Counts what waits in the view that somebody has of the stream.
template <DirectionIndex D>
void settle_direction(CachedFile& cached, const FILE* stream) {
  OpenFile* file = cached.file;
  if (file->stream_owner == kNobody ||
      (file->stream_owner & kStreamAndDirection) != (owner_of(stream, D) & kStreamAndDirection))
    return;
  if (static_cast<uint32_t>(held<D>(stream)) != file->stream_seen) count_waiting(cached, D, stream, held<D>(stream));
}

/// Whether the stream of a view is still one of this file: it may have been freed by a call that was not seen.
bool is_alive(const OpenFile& file) {
  const FILE* stream = stream_of(file.stream_owner);
  if (stream != stdin && stream != stdout && stream != stderr) {
    const auto address = reinterpret_cast<uintptr_t>(stream);
    Readable nothing_known;
    if (!nothing_known.covers(address, sizeof(FILE))) return false;
    constexpr unsigned kMagic = 0xfbad0000;  // _IO_MAGIC of glibc's libio.h
    if ((static_cast<unsigned>(stream->_flags) & 0xffff0000) != kMagic) return false;
  }
  std::atomic<uint64_t>* entry = entry_of(number_of(stream));
  const uint64_t tag = entry ? entry->load() : kUnknownTag;
  return is_tracked(tag) && file_of(tag) == &file;
}

/// Time in which a call wrote out a buffer belongs to the writes. The shard's writes; null when memory is out.
Direction* add_write_time(Shard* shard, Timed time) {
  Direction* d = direction_of(shard, kWrite, time.start);
  if (!d) return nullptr;
  d->time += time.spent();
  if (time.end > d->last_time) d->last_time = time.end;
  return d;
}

/// Counts what waited before the call.
template <DirectionIndex D>
void count_waiting_before(CachedFile& cached, const StreamCall& call) {
  const OpenFile* file = cached.file;
  if (static_cast<uint32_t>(call.held) != file->stream_seen && file->stream_owner == owner_of(call.stream, D))
    count_waiting(cached, D, call.stream, call.held);
}

/// True: the code that made the call is worth knowing (call_sites.h).
template <DirectionIndex D>
bool count_stream_call(CachedFile& cached, Direction* d, Fn function, const StreamCall& call, uint64_t size,
                       bool wide) {
  OpenFile* file = cached.file;
  const uint64_t after = held<D>(call.stream);
  file->stream_seen = static_cast<uint32_t>(after);
  if (function == Fn::__uflow || function == Fn::__overflow) cached.shard->flags |= flag::lower_bound;
  uint64_t offset = next_offset(file, D, d);
  file->stream_position = offset + size;
  const uint64_t place = file->unknown_stream_position == 0 ? offset : model::kUnknownPlace;
  bool notable = count_run(d, offset, size, file->unknown_stream_position == 0) && size >= cached.large[D];
  count_direction_change<D>(cached);
  uint64_t spent = call.end > call.start ? call.end - call.start : 0;
  if (count_time(d, spent, call.end, size)) notable |= spent >> 8 >= cached.slow[D];
  add_to_series(block, call.start, call.end, size, D);
  // Of wide characters the buffer holds another number of bytes.
  if (D == kWrite && after != call.held + size && !wide)
    count_reached(cached, kWrite, call.stream, call.held + size - after);
  const bool met_end = (call.stream->_flags & ~call.flags & _IO_EOF_SEEN) != 0;
  if (D == kRead && (size > call.room || met_end) && !wide)
    count_reached(cached, kRead, call.stream, size + room_to_read(call.stream) - call.room);
  count_size(block, Layer::kStdio, D, size);
  count_call(function, D, size, spent);
  record_operation(moved_by(D), function, cached.handle, call.start, call.end, place, size, size, 0);
  if (notable) raise_thresholds(cached, D, size, spent);
  return notable;
}

void count_system(Shard* shard, DirectionIndex direction, uint64_t bytes, uint64_t buffer) {
  count(shard, direction == kRead ? Metadata::kSystemReads : Metadata::kSystemWrites);
  Metadata* metadata = metadata_of(shard);
  if (!metadata) return;
  // Threads that share a stream may see its buffer between two states.
  if (static_cast<int64_t>(bytes) > 0) metadata->system_bytes[direction] += bytes;
  if (buffer > metadata->buffer_bytes)
    metadata->buffer_bytes = buffer < UINT32_MAX ? static_cast<uint32_t>(buffer) : UINT32_MAX;
}

}  // namespace

void count_reached(CachedFile& cached, DirectionIndex direction, const FILE* stream, uint64_t bytes) {
  count_system(cached.shard, direction, bytes, static_cast<uint64_t>(stream->_IO_buf_end - stream->_IO_buf_base));
  if (cached.file->unknown_position == 0) cached.file->unknown_position = 1;  // the system's moved with the buffer
}

void change_owner(FILE* stream, uint64_t tag, DirectionIndex direction, bool wide) {
  if (in_vfork_child() || !is_current(tag)) return;
  if (Update update; !block && update.enter_anew()) update.leave();  // the thread's first call: now it has a number
  // Threads without a number, for want of memory, could not be told from each other.
  const uint64_t owner = wide || !block ? kNobody : owner_of(stream, direction);
  OpenFile* file = file_of(tag);
  const uint64_t former = file->stream_owner;
  if (former == kNobody) return;
  const bool same_stream = former == 0 || stream_of(former) == stream;
  if (former != 0 && (same_stream || is_alive(*file))) settle(stream_of(former));
  const bool same_thread = former == 0 || (former >> 48) == (kAnyThread >> 48) || (former ^ owner) == 1;
  file->stream_seen = static_cast<uint32_t>(direction == kRead ? held<kRead>(stream) : held<kWrite>(stream));
  file->byte_functions[0] = file->byte_functions[1] = 0;
  file->stream_owner = same_stream && (same_thread || owner == kNobody) ? owner : kNobody;
}

void let_wait(FILE* stream, DirectionIndex direction, Fn function) {
  if (!may_wait) return;
  uint64_t tag = tag_of(number_of(stream));
  if (!__libc_single_threaded || !is_tracked(tag) || !is_current(tag)) return;
  OpenFile* file = file_of(tag);
  // The call itself was counted just now, and with it what waited.
  if (file->stream_owner == owner_of(stream, direction))
    file->byte_functions[direction] = static_cast<uint16_t>(function);
}

void count_waiting(CachedFile& cached, DirectionIndex direction, const FILE* stream, uint64_t held) {
  OpenFile* file = cached.file;
  // Buffers larger than what `stream_seen` can tell (fmemopen, mmapped files) are compared modulo its size.
  const auto moved = static_cast<uint64_t>(static_cast<int32_t>(static_cast<uint32_t>(held) - file->stream_seen));
  file->stream_seen = static_cast<uint32_t>(held);
  if (static_cast<int64_t>(moved) <= 0 || moved > static_cast<uint64_t>(stream->_IO_buf_end - stream->_IO_buf_base)) {
    cached.shard->flags |= flag::lower_bound;  // emptied by a call that was not seen: what waited then is not known
    return;
  }
  Direction* d = new_direction(cached, direction, base::ticks());
  auto function = static_cast<Fn>(file->byte_functions[direction]);
  if (function == kInlined) {
    function = direction == kRead ? Fn::fgetc_unlocked : Fn::fputc_unlocked;
    cached.shard->flags |= flag::lower_bound;
  }
  if (!d)
    return count_without_room(
        {function, does(direction), tag_of(number_of(stream)), static_cast<int64_t>(moved), 0, 0, moved}, false);
  const bool known = file->unknown_stream_position == 0;
  uint64_t position = next_offset(file, direction, d);
  const uint64_t place = known ? position : model::kUnknownPlace;
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
  if (state.stretch.load(std::memory_order_relaxed) != 0) {
    const uint64_t now = base::ticks();
    add_to_phases(block, now, now, moved, static_cast<Flow>(direction));
  }
  count_size(block, Layer::kStdio, direction, 1, moved);
  if (Profile* p = profile_of(function, moves(direction))) {
    p->calls += moved;
    p->bytes += moved;
  } else {
    count_without_room({function, kDoesOther, kUnknownTag, static_cast<int64_t>(moved), 0, 0, moved}, false);
  }
  if (HEADRACE_UNLIKELY(state.tracing)) {
    const uint64_t now = base::ticks();
    record_operation(moved_by(direction), function, cached.handle, now, now, place, moved, moved,
                     0);  // all of them as one
  }
}

template <DirectionIndex D>
void count_interrupting(Fn function, const StreamCall& call, int64_t result) {
  count_apart({function, does(D), call.tag, result, call.start, call.end});
  if (in_vfork_child() || !is_tracked(call.tag) || !is_current(call.tag)) return;
  OpenFile* file = file_of(call.tag);
  file->stream_seen = static_cast<uint32_t>(held<D>(call.stream));
  if (result > 0) file->stream_position += static_cast<uint64_t>(result);
}

template void count_interrupting<kRead>(Fn, const StreamCall&, int64_t);
template void count_interrupting<kWrite>(Fn, const StreamCall&, int64_t);

template <DirectionIndex D>
void account_any(Fn function, const StreamCall& call, int64_t result, bool wide) {
  Update update;
  uint64_t size = result > 0 ? static_cast<uint64_t>(result) : 0;
  bool notable = false;
  if (!update.enter()) return count_interrupting<D>(function, call, result);
  CachedFile* cached = cached_file(call.fd, call.tag, Layer::kStdio);
  // First: it may give up what threads share, and with it a direction that was looked up before.
  if (cached && result >= 0) count_waiting_before<D>(*cached, call);
  Direction* d = cached && result >= 0 ? new_direction(*cached, D, call.start) : nullptr;
  if (cached && result < 0) {
    const Operation failed{call.fd, call.tag, 0, nullptr, result, call.start, call.end, kAsMoved};
    count_failure(*cached, D, function, failed, model::kUnknownPlace);
    watch(cached->file, call.stream);
  } else if (!d) {
    count_without_room({function, does(D), call.tag, result, call.start, call.end}, false);
  } else {
    block->current = offset_of(d);
    notable = count_stream_call<D>(*cached, d, function, call, size, wide);
  }
  const uint64_t record = notable ? cached->file->hash : 0;
  update.leave();
  if (notable) note_operation(record, D, size, call.end > call.start ? call.end - call.start : 0, call.end);
}

template void account_any<kRead>(Fn, const StreamCall&, int64_t, bool);
template void account_any<kWrite>(Fn, const StreamCall&, int64_t, bool);

Settled settle(FILE* stream, bool closing) {
  if (in_vfork_child()) return {0, 0, -1};
  uint64_t tag = tag_of(number_of(stream));
  Update update;
  if (!is_tracked(tag) || !update.enter_anew()) return {0, 0, -1};
  CachedFile* cached = entry_of_stream(stream, tag);
  if (cached && (closing || is_settled_here(cached->file->stream_owner))) {
    settle_direction<kRead>(*cached, stream);
    settle_direction<kWrite>(*cached, stream);
  }
  update.leave();
  return {held<kWrite>(stream), static_cast<uint64_t>(stream->_IO_buf_end - stream->_IO_buf_base), stream->_offset};
}

uint64_t fetched_by_seek(const FILE* stream, const Settled& before, int whence) {
  constexpr int kNoReads = 4;  // _IO_NO_READS of glibc's libio.h
  if (stream->_offset < 0 || (stream->_flags & kNoReads) != 0) return 0;
  if (whence == SEEK_CUR && before.position < 0) return 0;  // from where it does not know, it asks the system alone
  const int64_t now = stream->_offset - static_cast<int64_t>(room<kRead>(stream));
  if (before.unwritten == 0 && stream->_offset == before.position && now != before.position) return 0;
  if (const uint64_t filled = held<kRead>(stream) + room<kRead>(stream)) return filled;
  // Beyond the file's end it read what there is of the block, and dropped it.
  const auto block = static_cast<int64_t>(stream->_IO_buf_end - stream->_IO_buf_base);
  const int64_t begin = block > 0 ? now & ~(block - 1) : now;
  struct stat file;
  if (begin == now || base::kernel_call(SYS_newfstatat, stream->_fileno, "", &file, AT_EMPTY_PATH) != 0) return 0;
  return file.st_size > begin && file.st_size < now ? static_cast<uint64_t>(file.st_size - begin) : 0;
}

HEADRACE_AT_START void settle_for_good() {
  settle_all(Coming::kEnd);
  may_wait = false;
  const uint32_t slots = state.files ? state.next_file.load() : 0;
  for (uint32_t slot = 1; slot < slots; ++slot)
    state.files[slot].byte_functions[0] = state.files[slot].byte_functions[1] = 0;
}

void inherit_stream(OpenFile* file) {
  if (file->stream_owner != 0 && file->stream_owner != kNobody) file->stream_owner |= kAnyThread;
  file->byte_functions[0] = file->byte_functions[1] = 0;
}

HEADRACE_AT_START void settle_all(Coming next) {
  if (in_vfork_child() || !state.files || !ready()) return;
  const uint32_t slots = state.next_file.load();
  for (uint32_t slot = 1; slot < slots; ++slot) {
    OpenFile& file = state.files[slot];
    if (file.record == 0 || file.stream_owner == 0 || file.stream_owner == kNobody) continue;
    if (!is_alive(file)) continue;
    FILE* stream = stream_of(file.stream_owner);
    const uint64_t unwritten = settle(stream).unwritten;
    Update update;
    if (next == Coming::kGoOn || unwritten == 0 || !update.enter()) continue;
    if (CachedFile* cached = entry_of_stream(stream, tag_of(number_of(stream)))) {
      count_reached(*cached, kWrite, stream, unwritten);
      if (next == Coming::kFlush) file.stream_seen = 0;
    }
    update.leave();
  }
}

void stream_call(Fn function, FILE* stream, Metadata::Count which, bool ok, Timed time, uint64_t written,
                 uint64_t fetched) {
  if (!time.recorded()) return;
  const ApartCall apart{function, which == Metadata::kCounts ? kDoesOther : which, kUnknownTag, ok ? 0 : -1, time.start,
                        time.end};
  if (in_vfork_child()) return count_apart(apart);
  uint64_t tag = tag_of(number_of(stream));
  uint32_t handle = 0;
  Update update;
  if (!update.enter_anew()) return count_apart(apart);
  if (CachedFile* cached = entry_of_stream(stream, tag)) {
    handle = cached->handle;
    if (!ok || which != Metadata::kCounts) count(cached->shard, ok ? which : Metadata::kErrors);
    if (fetched) count_reached(*cached, kRead, stream, fetched);
    if (written) {
      add_write_time(cached->shard, time);
      count_reached(*cached, kWrite, stream, written);
    } else {
      add_meta_time(cached->shard, time);
    }
    if (which != Metadata::kCounts) watch(cached->file, stream);
  } else if (is_excluded(tag)) {
    count_excluded_call(static_cast<uint32_t>(tag), false);
    return update.leave();
  }
  count_profile(function, ok, time, handle);
  update.leave();
}

void stream_closed(Fn function, uint64_t tag, Timed time, const Settled& before) {
  if (!time.recorded()) return forget_tag(tag);
  Update update;
  uint64_t written = before.unwritten;
  if (written && is_tracked(tag) && update.enter_anew()) {
    OpenFile* file = file_of(tag);
    Shard* shard = is_current(tag) && file->record ? shard_of(file->record, Layer::kStdio) : nullptr;
    if (shard && add_write_time(shard, time)) count_system(shard, kWrite, written, before.size);
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
  watch(file, stream);
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
  watch(file, stream);
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
  if (!time.recorded()) return;
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

namespace {

/// How far the system's position says that the stream has moved; −1 when it cannot say.
int64_t bytes_passed(const StreamCall& call) {
  if (!is_tracked(call.tag) || !is_current(call.tag) || in_vfork_child()) return -1;
  const OpenFile* file = file_of(call.tag);
  if (file->unknown_stream_position != 0 || call.fd == kNoDescriptor) return -1;
  const bool seen = file->stream_owner == owner_of(call.stream, kRead);
  const uint64_t before = file->stream_position + (seen ? static_cast<uint32_t>(call.held) - file->stream_seen : 0);
  const int64_t system = base::kernel_call(SYS_lseek, call.fd, 0, SEEK_CUR);
  return system < 0 ? -1 : static_cast<int64_t>(static_cast<uint64_t>(system) - room_to_read(call.stream) - before);
}

}  // namespace

uint64_t bytes_taken(const StreamCall& call) {
  const FILE* stream = call.stream;
  // Where threads share a stream, its buffer also shows what the others took.
  if (is_tracked(call.tag) && file_of(call.tag)->stream_owner == kNobody && !__libc_single_threaded) {
    mark_lower_bound(call.stream);
    return 0;
  }
  const uint64_t after = held<kRead>(stream), left = room_to_read(stream);
  if (call.offset >= 0 && stream->_offset >= 0) {
    const auto passed = static_cast<uint64_t>(stream->_offset - call.offset) + call.room - left;
    if (static_cast<int64_t>(passed) >= 0) return passed;
  }
  // Before its first seek the C library does not know where the stream is.
  const bool met_end = (stream->_flags & ~call.flags & _IO_EOF_SEEN) != 0;
  if (call.room != 0 && stream->_IO_read_end == call.read_end && after >= call.held && !met_end)
    return call.room - left;
  if (const int64_t passed = bytes_passed(call); passed >= 0) return static_cast<uint64_t>(passed);
  mark_lower_bound(call.stream);
  return call.room + after;
}

int64_t nothing_read(const StreamCall& call) {
  const int now = call.stream->_flags, gained = now & ~call.flags;
  if (gained & _IO_ERR_SEEN) return -1;
  return (now & _IO_EOF_SEEN) || !(now & _IO_ERR_SEEN) ? 0 : -1;
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
