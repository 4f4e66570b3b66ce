// Streams (FILE): what every fread, fwrite and the like passes through.
//
// A stream is found through its descriptor, and what its calls do is counted in the layer kStdio of the file's record:
// the C library's own reads and writes for it pass no intercepted function, so nothing is counted twice. Whether the
// buffer answered a call or the system did is told from the buffer's pointers before and after it (glibc's
// bits/types/struct_FILE.h, whose layout is part of its binary interface).
//
// getc_unlocked and putc_unlocked are inlined into programs and show in the pointers alone: what the buffer lost or
// gained since the last call that was counted (`stream_seen`). The same serves fgetc and fputc while a process has one
// thread: a call that the buffer answers is left to be counted with the next one that it does not, since counting it at
// once would cost several times the call. Bytes that wait so are counted before anything else happens to the stream and
// when the process exits; a process that is killed loses at most a buffer of them, as its file does.
//
// One thread's view of a stream in one direction can be compared, so a stream that threads or other streams share is
// counted call by call, and what is inlined there is not seen: its record says `lower_bound`.
#pragma once
#include <stdio.h>
#include <string.h>
#include <sys/single_threaded.h>

#include "capture/recorder/calls.h"

namespace headrace::capture {

/// The number under which a stream's descriptor is followed.
HEADRACE_INLINE int number_of(const FILE* stream) {
  constexpr int kHasDescriptor = 0x2000;  // _IO_IS_FILEBUF of glibc's libio.h
  return HEADRACE_LIKELY((stream->_flags & kHasDescriptor) != 0 && stream->_fileno >= 0) ? stream->_fileno
                                                                                         : kNoDescriptor;
}

/// What a stream's buffer holds of one direction: bytes that were taken out of it, or put into it.
template <DirectionIndex D>
HEADRACE_INLINE uint64_t held(const FILE* stream) {
  return static_cast<uint64_t>(D == kRead ? stream->_IO_read_ptr - stream->_IO_read_base
                                          : stream->_IO_write_ptr - stream->_IO_write_base);
}
/// Bytes that it can still give or take.
template <DirectionIndex D>
HEADRACE_INLINE uint64_t room(const FILE* stream) {
  return static_cast<uint64_t>(D == kRead ? stream->_IO_read_end - stream->_IO_read_ptr
                                          : stream->_IO_write_end - stream->_IO_write_ptr);
}
/// The same of a stream that bytes were put back to: those and the buffer behind them.
HEADRACE_INLINE uint64_t room_to_read(const FILE* stream) {
  constexpr int kInBackup = 0x100;  // _IO_IN_BACKUP of glibc's libio.h
  uint64_t behind = 0;
  if (HEADRACE_UNLIKELY(stream->_flags & kInBackup))
    behind = static_cast<uint64_t>(stream->_IO_save_end - stream->_IO_save_base);
  return room<kRead>(stream) + behind;
}

/// A call on a stream, as it was found.
struct StreamCall {
  FILE* stream;
  int fd, flags;
  uint64_t tag, held, room;
  const char* read_end;
  int64_t offset;       // of the system in the file, where the C library knows it
  uint64_t start, end;  // ticks
};

/// Counts a call on a stream that is not followed.
/// A call that the buffer alone could not answer moved `bytes` between it and the system.
HEADRACE_COLD void count_reached(CachedFile& cached, DirectionIndex direction, const FILE* stream, uint64_t bytes);
/// Makes this thread the one whose view of the buffer is compared, or nobody when there are several or the text is
/// wide. Counts what waited.
HEADRACE_COLD void change_owner(FILE* stream, uint64_t tag, DirectionIndex direction, bool wide);
/// From now on calls of `function` may wait, in a process of one thread; those of another one are counted first.
void let_wait(FILE* stream, DirectionIndex direction, Fn function);
/// Counts the bytes that the buffer lost or gained one by one until it held `held`. Inside a section.
HEADRACE_COLD void count_waiting(CachedFile& cached, DirectionIndex direction, const FILE* stream, uint64_t held);

inline constexpr uint64_t kNobody = ~uint64_t{0};
HEADRACE_INLINE uint64_t owner_of(const FILE* stream, DirectionIndex direction) {
  const ThreadBlock* mine = block;
  uint64_t thread = HEADRACE_LIKELY(mine != nullptr) ? mine->id : 0;
  return reinterpret_cast<uintptr_t>(stream) | direction | thread << 48;
}
inline FILE* stream_of(uint64_t owner) { return reinterpret_cast<FILE*>(owner & 0x0000fffffffffff8); }

/// Where the stream's next operation begins.
HEADRACE_INLINE uint64_t next_offset(const OpenFile* file, DirectionIndex direction, const Direction* d) {
  return direction == kWrite && file->append ? d->last_end : file->stream_position;
}

/// Counts a call of a signal handler that interrupted a section: at no file, and so that the next call on the stream
/// does not take its bytes for inlined ones.
template <DirectionIndex D>
HEADRACE_COLD void count_interrupting(Fn function, const StreamCall& call, int64_t result);

/// Counts one completed read or write of a followed stream in whatever state it is: `result` bytes, or negative.
/// `wide`: of wide characters, whose buffer is another one. Preserves errno.
template <DirectionIndex D>
__attribute__((noinline)) void account_any(Fn function, const StreamCall& call, int64_t result, bool wide);

/// The same, at once when nothing changes but the counts: a call of the size and place that were expected, which the
/// buffer answered.
template <DirectionIndex D>
HEADRACE_INLINE void account_stream(Fn function, const StreamCall& call, int64_t result, bool wide) {
  ThreadBlock* b = block;
  if (HEADRACE_UNLIKELY(b == nullptr)) return account_any<D>(function, call, result, wide);
  CachedFile& cached = self->cache[static_cast<uint32_t>(Layer::kStdio)][static_cast<uint32_t>(call.fd) % kCachedFiles];
  auto size = static_cast<uint64_t>(result);
  Direction* d = cached.directions[D];
  OpenFile* file = cached.file;
  uint64_t after = call.held + size;
  uint32_t row = b->profiles[static_cast<uint32_t>(function)];
  if (HEADRACE_UNLIKELY(cached.tag != call.tag || !d || cached.last != D || !row || wide)) goto other;
  if (HEADRACE_UNLIKELY(result <= 0 || size != d->run_size || d->run_gap != 0 || held<D>(call.stream) != after))
    goto other;
  if (D == kRead && HEADRACE_UNLIKELY(call.room < size)) goto other;
  if (HEADRACE_UNLIKELY(file->stream_position != d->last_end || file->unknown_stream_position != 0)) goto other;
  if (HEADRACE_UNLIKELY(file->stream_seen != static_cast<uint32_t>(call.held))) goto other;
  {
    Update update;
    if (HEADRACE_UNLIKELY(!update.enter())) return count_interrupting<D>(function, call, result);
    if (HEADRACE_UNLIKELY(cached.tag != call.tag)) {  // a fold came between
      update.leave();
      goto other;
    }
    b->current = offset_of(d);
    uint64_t spent = call.end > call.start ? call.end - call.start : 0;
    d->run_count++;
    d->last_end += size;
    file->stream_position += size;
    file->stream_seen = static_cast<uint32_t>(after);
    const bool notable = HEADRACE_UNLIKELY(count_time(d, spent, call.end, size)) && spent >> 8 >= cached.slow[D];
    add_to_series(b, call.start, call.end, size, D);
    count_size(b, Layer::kStdio, D, size);
    auto* profile = at<Profile>(row);
    profile->calls++;
    profile->bytes += size;
    profile->time += spent;
    if (HEADRACE_UNLIKELY(spent > profile->max_time)) profile->max_time = spent;
    record_operation(moved_by(D), function, cached.handle, call.start, call.end, file->stream_position - size, size,
                     size, 0);
    if (HEADRACE_UNLIKELY(notable)) raise_thresholds(cached, D, size, spent);
    const uint64_t record = file->hash;
    update.leave();
    if (HEADRACE_UNLIKELY(notable)) note_operation(record, D, size, spent, call.end);
    return;
  }
other:
  account_any<D>(function, call, result, wide);
}

/// Whether a call of one byte can wait to be counted: the buffer will answer it, and all is as the last one left it.
template <DirectionIndex D>
HEADRACE_INLINE bool can_wait(Fn function, const FILE* stream) {
  if (HEADRACE_UNLIKELY(state.paused.load(std::memory_order_relaxed))) return true;  // it is not counted at all
  auto fd = static_cast<uint32_t>(number_of(stream));
  const WipedOnFork* wiped = state.wiped;
  if (fd >= kDescriptors || !wiped || !__libc_single_threaded) return false;
  DescriptorLeaf* leaf = wiped->leaves[fd >> 10];
  if (!leaf) return false;
  uint64_t tag = (*leaf)[fd & 1023].load(std::memory_order_relaxed);
  if (!is_tracked(tag)) return false;
  const OpenFile* file = file_of(tag);
  return file->stream_owner == owner_of(stream, D) && file->byte_functions[D] == static_cast<uint16_t>(function) &&
         static_cast<int64_t>(room<D>(stream)) > 0;
}

/// Runs `call` on a stream and counts the bytes that `bytes(result, call)` says it moved; negative: it failed. Where
/// the buffer can answer all that is `asked` for, nothing can keep it from coming back, so it is no current call.
template <DirectionIndex D, bool kWide = false, typename Call, typename Bytes>
HEADRACE_INLINE auto stream_transfer(Fn function, FILE* stream, Call call, Bytes bytes, uint64_t asked = kAsMoved) {
  // Calls that move nothing are allowed no stream: the C library does not look at it then.
  if (HEADRACE_UNLIKELY(stream == nullptr)) return call();
  if (passes_by()) return call();
  StreamCall facts;
  facts.stream = stream;
  facts.fd = number_of(stream);
  facts.tag = tag_of(facts.fd);
  if (HEADRACE_UNLIKELY(!is_tracked(facts.tag))) {
    facts.held = facts.room = 0;
    facts.flags = stream->_flags;
    facts.read_end = stream->_IO_read_end;
    facts.offset = -1;
    const uint64_t began = facts.tag == kUnknownTag ? base::ticks() : 0;
    auto result = call();
    const int64_t moved = bytes(result, facts);
    count_untracked({function, does(D), facts.tag, moved, began, 0}, facts.fd);
    if (moved < 0 && facts.tag == kUnknownTag && facts.fd != kNoDescriptor)
      count_refused(function, D, began, model::kUnknownPlace, 0);
    return result;
  }
  if (HEADRACE_UNLIKELY(file_of(facts.tag)->stream_owner != owner_of(stream, D)))
    change_owner(stream, facts.tag, D, kWide);
  facts.held = held<D>(stream);
  facts.room = D == kRead ? room_to_read(stream) : room<D>(stream);
  facts.flags = stream->_flags;
  if (D == kRead) facts.read_end = stream->_IO_read_end;
  if (D == kRead) facts.offset = stream->_offset;
  facts.start = base::ticks();
  InCall current;
  const bool may_wait = static_cast<int64_t>(facts.room) <= 0 || asked > facts.room;  // less than none: by lines
  if (may_wait) current.begin(static_cast<uint16_t>(function), moves(D), facts.start, file_of(facts.tag)->hash);
  auto result = call();
  facts.end = base::ticks();
  if (may_wait) current.end();
  account_stream<D>(function, facts, bytes(result, facts), kWide);
  return result;
}

/// What inlined code does waits in the place of a function.
inline constexpr auto kInlined = static_cast<Fn>(0);

/// A call of one byte that cannot wait; the next ones of `waiting` may.
template <DirectionIndex D, typename Call, typename Bytes>
__attribute__((noinline)) int byte_transfer(Fn function, Fn waiting, FILE* stream, Call call, Bytes bytes) {
  int result = stream_transfer<D>(function, stream, call, bytes);
  let_wait(stream, D, waiting);
  return result;
}

/// What a stream's buffer held when it was settled.
struct Settled {
  uint64_t unwritten;  // bytes
  uint64_t size;       // of the buffer
  int64_t position;    // of the system in the file, where the C library knows it
};
/// Before a call that moves or empties the buffer: counts what waited, but not in another thread's view, unless the
/// stream is being closed and no other thread may use it any more.
Settled settle(FILE* stream, bool closing = false);
/// What happens to all streams next: nothing in particular, the C library writes their buffers out at once, or it does
/// so when the process ends.
enum class Coming { kGoOn, kFlush, kEnd };
/// The same for all streams.
void settle_all(Coming next);
/// Bytes that a seek read ahead, since `before`. Beyond the buffer, and at its very end, the C library fills it anew
/// from where a block of it begins (glibc's libio/fileops.c, _IO_new_file_seekoff). Preserves errno.
uint64_t fetched_by_seek(const FILE* stream, const Settled& before, int whence);
/// In a forked child, whose parent settled all streams: the view of one goes on.
void inherit_stream(OpenFile* file);
/// The process ends: from now on nothing may wait.
void settle_for_good();
/// A call that neither reads nor writes; `written`: bytes of the buffer that it wrote out, whose time is then write
/// time; `fetched`: bytes that it read ahead. `which`: kCounts counts the time alone.
void stream_call(Fn function, FILE* stream, Metadata::Count which, bool ok, Timed time, uint64_t written,
                 uint64_t fetched = 0);
/// The same for a stream that is closed: its tag is taken already. `before`: of what it wrote out.
void stream_closed(Fn function, uint64_t tag, Timed time, const Settled& before);
/// The stream's next operation begins here; negative: nobody knows.
void stream_moved(FILE* stream, int64_t position);
/// The same, from where it was.
void stream_moved_by(FILE* stream, int64_t distance);
/// A stream was made of an open descriptor: it begins at the descriptor's position.
void stream_attached(FILE* stream);
/// A file without a name was opened.
void opened_unnamed(Fn function, int fd, Timed time);

/// Bytes that a call of unknown result read: told from the buffer or, when that was filled anew, from the position. Of
/// a pipe whose buffer one call filled more than once it may be more, which its record then says. Preserves errno.
uint64_t bytes_taken(const StreamCall& call);
/// What a call that read nothing is counted as: 0 at the end of the file, −1 for an error.
int64_t nothing_read(const StreamCall& call);
/// Bytes of `count` wide characters in a file, in the program's locale. Preserves errno.
int64_t bytes_of_wide(const wchar_t* text, size_t count);
/// Marks a record whose bytes or calls are at least those counted.
void mark_lower_bound(FILE* stream);

}  // namespace headrace::capture
