#include "capture/recorder/asynchronous.h"

#include <errno.h>
#include <fcntl.h>

#include "base/kernel.h"
#include "capture/recorder/file_names.h"
#include "capture/recorder/flags.h"
#include "capture/recorder/path_copies.h"
#include "capture/recorder/process.h"

namespace headrace::capture {

__thread uintptr_t asynchronous_call;
void (*on_submission)(int fd);

uint64_t BusyTime::end(uint64_t start, uint64_t now) {
  if (number != 0) --number;
  if (now > since) owed += now - since, since = now;
  const uint64_t spent = start != 0 && now > start ? now - start : 0, mine = spent < owed ? spent : owed;
  owed = number == 0 ? 0 : owed - mine;
  return spent - mine;
}

void keep_while_pending(PendingOperation* operation, uint64_t tag) {
  operation->tag = tag;
  if (!is_tracked(tag)) return;
  Update update;
  if (!update.enter_anew()) {
    operation->tag = kUnknownTag;
    return;
  }
  if (is_current(tag)) {
    keep_file(tag);
    OpenFile* file = file_of(tag);
    if (!(file->flags & flag::asynchronous)) {
      file->flags |= flag::asynchronous;
      if (Shard* shard = shard_of(file->record, Layer::kPosix)) shard->flags |= flag::asynchronous;
    }
  } else {
    operation->tag = kUnknownTag;
  }
  update.leave();
}

void let_go(const PendingOperation& operation) {
  forget_tag(operation.tag);
  if (changes_names(operation.purpose)) forget_paths(operation.address);
}

namespace {

template <DirectionIndex D>
void count_moved(const PendingOperation& p, int64_t result, uint64_t now, uint64_t shared) {
  if (!is_tracked(p.tag)) {
    if (result < 0) return plain_call(p.function, false, {p.start, now});
    const ApartCall call{p.function, does(D), p.tag, result, p.start, now - shared};
    constexpr Apart kWhy = Apart::kRingsOwn;
    return count_untracked(call, p.fd, p.fixed ? &kWhy : nullptr);
  }
  const uint64_t start = result < 0 ? now : p.start;
  const Operation op{p.fd, p.tag,   p.offset, reinterpret_cast<const void*>(p.address), result, start,
                     now,  p.bytes, shared};
  if (p.offset == kAtPosition)
    account<D, At::kPosition, Count::kLater>(p.function, op);
  else
    account<D, At::kOffset, Count::kLater>(p.function, op);
}

/// The kernel tells what was opened: what the program gave for it may be gone.
void count_open(const PendingOperation& p, int fd, Timed time) {
  char link[40], path[1024];
  char* end = link + sizeof "/proc/self/fd/" - 1;
  __builtin_memcpy(link, "/proc/self/fd/", sizeof "/proc/self/fd/");
  char digits[12];
  int count = 0;
  for (unsigned rest = static_cast<unsigned>(fd); count == 0 || rest != 0; rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  while (count > 0) *end++ = digits[--count];
  *end = '\0';
  const long length = base::kernel_call(SYS_readlinkat, AT_FDCWD, link, path, sizeof path);
  if (length <= 0 || length >= static_cast<long>(sizeof path) || path[0] != '/') {
    forget_descriptor(fd);
    return plain_call(p.function, true, time);
  }
  path[length] = '\0';
  opened(p.function, fd, AT_FDCWD, path, static_cast<int>(p.flags), flag::asynchronous, time);
}

/// A call on a file that may be in the ring's own table alone.
void count_of_ring(const PendingOperation& p, uint32_t does, bool ok, Timed time) {
  plain_call(p.function, ok, time);
  if (ok && p.fixed) count_without_record({p.function, does, kUnknownTag, 0, time.start, time.end}, Apart::kRingsOwn);
}

void count_metadata_of(const PendingOperation& p, Metadata::Count which, bool ok, Timed time) {
  if (is_tracked(p.tag) || is_excluded(p.tag))
    tagged_call(p.function, p.tag, which, ok, time);
  else
    count_of_ring(p, which, ok, time);
}

/// The paths were kept when it was submitted: the program may have changed them since.
void count_names(const PendingOperation& p, bool ok, Timed time) {
  const char *first = first_path(p.address), *second = second_path(p.address);
  const auto other = static_cast<int>(p.bytes);
  constexpr uint32_t kExchange = 2;  // RENAME_EXCHANGE
  if (!first) {
    if (ok) lose_operations(1);
    return plain_call(p.function, ok, time);
  }
  switch (p.purpose) {
    case Purpose::kRename:
      return renamed(p.function, p.fd, first, other, second, ok, (p.flags & kExchange) != 0, time);
    case Purpose::kLink:
      return linked(p.function, p.fd, first, other, second, static_cast<int>(p.flags), ok, time);
    case Purpose::kUnlink:
      return path_call(p.function, p.fd, first, Metadata::kUnlinks, ok, time, flag::deleted,
                       !ok                        ? Shown::kNothing
                       : (p.flags & AT_REMOVEDIR) ? Shown::kDirectory
                                                  : Shown::kOther);
    case Purpose::kMakeDirectory:
      return path_call(p.function, p.fd, first, Metadata::kMakes, ok, time, 0,
                       ok ? Shown::kDirectory : Shown::kNothing);
    default:
      return path_call(p.function, p.fd, first, Metadata::kLinks, ok, time);
  }
}

}  // namespace

void count_operation(const PendingOperation& p, int64_t result, uint64_t now, BusyTime& busy) {
  const uint64_t shared = takes_time(p) ? busy.end(p.start, now) : 0;
  if (p.start == 0) {
    if (p.purpose == Purpose::kOpen || p.purpose == Purpose::kNewDescriptor)
      if (result >= 0) forget_descriptor(static_cast<int>(result));
    if (changes_names(p.purpose)) count_names(p, result >= 0, {0, 0});
    return let_go(p);
  }
  const int saved = errno;
  const Timed time{now - (now > p.start ? now - p.start - shared : 0), now};
  const bool ok = result >= 0;
  const uint64_t profiled = block ? block->profiled : 0;
  counts_later = true;
  errno = ok ? saved : static_cast<int>(-result);
  switch (p.purpose) {
    case Purpose::kRead:
      count_moved<kRead>(p, result, now, shared);
      break;
    case Purpose::kWrite:
      count_moved<kWrite>(p, result, now, shared);
      break;
    case Purpose::kSync:
      count_metadata_of(p, Metadata::kSyncs, ok, time);
      break;
    case Purpose::kTruncate:
      count_metadata_of(p, Metadata::kTruncates, ok, time);
      break;
    case Purpose::kAllocate:
      count_metadata_of(p, Metadata::kAllocates, ok, time);
      break;
    case Purpose::kAdvise:
      count_metadata_of(p, Metadata::kAdvises, ok, time);
      break;
    case Purpose::kOpen:
      if (ok)
        count_open(p, static_cast<int>(result), time);
      else
        plain_call(p.function, false, time);
      break;
    case Purpose::kClose:
      if (ok) {
        closed(p.function, p.tag, time);  // lets the file go as well
        break;
      }
      plain_call(p.function, false, time);
      break;
    case Purpose::kRename:
    case Purpose::kUnlink:
    case Purpose::kMakeDirectory:
    case Purpose::kLink:
    case Purpose::kSymbolicLink:
      count_names(p, ok, time);
      break;
    case Purpose::kUnseen:
      if (ok) lose_operations(1);
      plain_call(p.function, ok, {now, now});
      break;
    case Purpose::kNewDescriptor:
      if (ok) forget_descriptor(static_cast<int>(result));
      [[fallthrough]];
    default:  // most wait for something: their time says nothing
      count_of_ring(p, p.function == Fn::io_uring_open ? kDoesOpen : kDoesClose, ok, {now, now});
  }
  counts_later = false;
  if (p.purpose != Purpose::kClose || !ok) let_go(p);
  // What went on beside the program's calls is not inside any of them.
  if (block) block->profiled = profiled;
  errno = saved;
}

void lose_operation(const PendingOperation& p, BusyTime& busy) {
  if (takes_time(p) && busy.number != 0) --busy.number;
  if (counts_somewhere(p.purpose) && !p.doubtful && p.start != 0) lose_operations(1);
  let_go(p);
}

}  // namespace headrace::capture
