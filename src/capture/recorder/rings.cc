#include "capture/recorder/rings.h"

#include <string.h>

#include "base/start_code.h"
#include "capture/recorder/frame_lock.h"
#include "capture/recorder/path_copies.h"
#include "capture/recorder/pending_match.h"
#include "capture/recorder/process.h"
#include "capture/recorder/readable.h"
#include "capture/recorder/ring_layout.h"

namespace headrace::capture {
namespace {

using base::kernel_call;

struct Mapped {
  const char* start;
  size_t bytes;
};

struct Ring {
  size_t bytes;  // of this memory
  Mapped submissions, completions, entries;
  const uint32_t *head, *tail, *array;  // of submissions; array is null: they are in order
  const uint32_t* completed;            // tail of completions
  const char* results;
  uint32_t size, results_size, entry_shift, result_shift;
  bool polled;
  uint32_t submissions_seen, completions_seen;
  uint32_t submitted;      // operations
  uint32_t silent;         // submitted since the last look for those that complete only when they fail
  bool links;              // the newest one goes on in the next
  uint64_t without_place;  // under way, and not pending
  BusyTime busy;
  uint64_t* files;  // tags, each with a reference where it is tracked
  uint32_t files_count;
  PendingTable pending;
};

struct RingSlot {
  FrameLock lock;
  std::atomic<Ring*> ring;
  std::atomic<uint32_t> ends;  // whoever has the lock is to end it
  std::atomic<uint32_t> told;  // it is not followed, and the log says so
};
constexpr uint32_t kRings = 1 << 14, kMostFiles = 1 << 20;
struct RingSlots {
  RingSlot of[kRings];
};
std::atomic<RingSlots*> all_rings{nullptr};

/// Says that a ring is not followed.
void tell_of(RingSlot* slot) {
  static std::atomic<uint32_t> without_slot{0};
  if ((slot ? slot->told : without_slot).exchange(1, std::memory_order_relaxed) == 0) note_io_uring();
}

/// A forked child finds it empty, and has none of the rings' memory.
RingSlots* make_rings() {
  RingSlots* slots = all_rings.load(std::memory_order_acquire);
  if (slots) return slots;
  void* memory = base::map_anonymous(sizeof(RingSlots));
  if (!memory) return nullptr;
  if (kernel_call(SYS_madvise, memory, sizeof(RingSlots), MADV_WIPEONFORK) == 0 &&
      all_rings.compare_exchange_strong(slots, static_cast<RingSlots*>(memory), std::memory_order_acq_rel))
    return static_cast<RingSlots*>(memory);
  base::unmap(memory, sizeof(RingSlots));
  return slots;
}

RingSlot* slot_of(int fd) {
  RingSlots* slots = all_rings.load(std::memory_order_acquire);
  return slots && static_cast<uint32_t>(fd) < kRings ? &slots->of[fd] : nullptr;
}

bool map_part(Mapped* part, int fd, size_t bytes, int64_t at) {
  const long place = kernel_call(SYS_mmap, nullptr, bytes, PROT_READ, MAP_SHARED, fd, at);
  if (place < 0) return false;
  *part = {reinterpret_cast<const char*>(place), bytes};
  return kernel_call(SYS_madvise, place, bytes, MADV_DONTFORK) == 0;
}

void unmap_ring(Ring* ring) {
  for (const Mapped& part : {ring->submissions, ring->completions, ring->entries})
    if (part.start) kernel_call(SYS_munmap, part.start, part.bytes);
  if (ring->files) base::unmap(ring->files, ring->files_count * sizeof(uint64_t));
  base::unmap(ring, ring->bytes);
}

bool is_power_of_two(uint32_t n) { return n != 0 && (n & (n - 1)) == 0; }

/// False: it does not look as it should.
bool map_memory(Ring* ring, int fd, const uring::Parameters& p) {
  const bool ordered = p.flags & uring::kNoArray;
  ring->size = p.submissions, ring->results_size = p.completions;
  ring->entry_shift = p.flags & uring::kLargeSubmissions ? 7 : 6;
  ring->result_shift = p.flags & uring::kLargeCompletions ? 5 : 4;
  ring->polled = p.flags & uring::kPolled;
  size_t first = ordered ? 0 : p.submission.array + size_t{p.submissions} * sizeof(uint32_t);
  if (first < size_t{p.submission.tail} + 4) first = size_t{p.submission.tail} + 4;
  if (first < size_t{p.submission.head} + 4) first = size_t{p.submission.head} + 4;
  size_t second = p.completion.entries + (size_t{p.completions} << ring->result_shift);
  if (second < size_t{p.completion.tail} + 4) second = size_t{p.completion.tail} + 4;
  const bool one = p.features & uring::kOneMapping;
  if (one) first = second = first > second ? first : second;
  if (!map_part(&ring->submissions, fd, first, uring::kSubmissionsAt)) return false;
  if (!one && !map_part(&ring->completions, fd, second, uring::kCompletionsAt)) return false;
  if (!map_part(&ring->entries, fd, size_t{p.submissions} << ring->entry_shift, uring::kEntriesAt)) return false;
  const char* results = one ? ring->submissions.start : ring->completions.start;
  const auto word = [](const char* base, uint32_t at) { return reinterpret_cast<const uint32_t*>(base + at); };
  ring->head = word(ring->submissions.start, p.submission.head);
  ring->tail = word(ring->submissions.start, p.submission.tail);
  ring->array = ordered ? nullptr : word(ring->submissions.start, p.submission.array);
  ring->completed = word(results, p.completion.tail);
  ring->results = results + p.completion.entries;
  ring->submissions_seen = __atomic_load_n(ring->head, __ATOMIC_ACQUIRE);
  ring->completions_seen = __atomic_load_n(ring->completed, __ATOMIC_ACQUIRE);
  return true;
}

Ring* follow_ring(int fd, const uring::Parameters& p) {
  constexpr uint32_t kMost = 1 << 17, kLargestPart = 1 << 16;
  if ((p.flags & ~uring::kKnownSetups) != 0) return nullptr;
  if (!is_power_of_two(p.submissions) || !is_power_of_two(p.completions)) return nullptr;
  if (p.submissions > kMost || p.completions > kMost) return nullptr;
  for (const uint32_t at :
       {p.submission.head, p.submission.tail, p.submission.array, p.completion.tail, p.completion.entries})
    if (at > kLargestPart || at % 4 != 0) return nullptr;
  const uint32_t capacity = p.completions < 32 ? 64 : p.completions * 2;
  const size_t bytes = sizeof(Ring) + PendingTable::bytes(capacity);
  void* memory = base::map_anonymous(bytes);
  if (!memory) return nullptr;
  kernel_call(SYS_madvise, memory, bytes, MADV_DONTFORK);
  auto* ring = static_cast<Ring*>(memory);
  ring->bytes = bytes;
  ring->pending.use(ring + 1, capacity);
  if (map_memory(ring, fd, p)) return ring;
  unmap_ring(ring);
  return nullptr;
}

// ---- submissions

uint64_t tag_of_fixed(const Ring& ring, uint32_t number) {
  return number < ring.files_count ? ring.files[number] : kUnknownTag;
}

struct Meaning {
  Fn function;
  Purpose purpose;
};

Meaning meaning_of(uint8_t operation) {
  switch (operation) {
    case uring::kReadVector:
    case uring::kReadFixed:
    case uring::kRead:
    case uring::kReadOften:
    case uring::kReadVectorFixed:
      return {Fn::io_uring_read, Purpose::kRead};
    case uring::kWriteVector:
    case uring::kWriteFixed:
    case uring::kWrite:
    case uring::kWriteVectorFixed:
      return {Fn::io_uring_write, Purpose::kWrite};
    case uring::kSync:
    case uring::kSyncRange:
      return {Fn::io_uring_sync, Purpose::kSync};
    case uring::kTruncate:
      return {Fn::io_uring_truncate, Purpose::kTruncate};
    case uring::kAllocate:
      return {Fn::io_uring_allocate, Purpose::kAllocate};
    case uring::kAdvise:
      return {Fn::io_uring_advise, Purpose::kAdvise};
    case uring::kOpen:
    case uring::kOpen2:
      return {Fn::io_uring_open, Purpose::kOpen};
    case uring::kClose:
      return {Fn::io_uring_close, Purpose::kClose};
    case uring::kRename:
      return {Fn::io_uring_rename, Purpose::kRename};
    case uring::kUnlink:
      return {Fn::io_uring_unlink, Purpose::kUnlink};
    case uring::kMakeDirectory:
      return {Fn::io_uring_mkdir, Purpose::kMakeDirectory};
    case uring::kHardLinkTo:
      return {Fn::io_uring_link, Purpose::kLink};
    case uring::kSymbolicLink:
      return {Fn::io_uring_link, Purpose::kSymbolicLink};
    case uring::kNothing:
      return {Fn::io_uring_other, Purpose::kNothing};
    case uring::kAccept:
    case uring::kSocket:
    case uring::kInstall:
      return {Fn::io_uring_other, Purpose::kNewDescriptor};
    case uring::kChangeFiles:
      return {Fn::io_uring_other, Purpose::kChangeFiles};
    case uring::kSplice:
    case uring::kTee:
    case uring::kCommand:
      return {Fn::io_uring_other, Purpose::kUnseen};
    default:
      return {Fn::io_uring_other, Purpose::kOther};
  }
}

bool has_single_buffer(uint8_t operation) {
  return operation == uring::kRead || operation == uring::kWrite || operation == uring::kReadFixed ||
         operation == uring::kWriteFixed;
}

bool has_vectors(uint8_t operation) {
  return operation == uring::kReadVector || operation == uring::kWriteVector || operation == uring::kReadVectorFixed ||
         operation == uring::kWriteVectorFixed;
}

/// What a read or write may give at most. The kernel has the vectors; the program's may be gone.
uint64_t most_bytes(const uring::Submission& entry) {
  constexpr uint32_t kMostVectors = 1024, kAtOnce = 32;
  if (has_single_buffer(entry.operation)) return entry.length;
  if (!has_vectors(entry.operation) || entry.length > kMostVectors) return kAsMoved;
  uring::Vector vectors[kAtOnce];
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < entry.length; ++i) {
    const uint32_t rest = entry.length - i, part = rest < kAtOnce ? rest : kAtOnce;
    if (i % kAtOnce == 0 && copy_of_program(entry.address + i * sizeof vectors[0], vectors, part * sizeof vectors[0]) !=
                                part * sizeof vectors[0])
      return kAsMoved;
    bytes += vectors[i % kAtOnce].bytes;
  }
  return bytes;
}

/// Makes room: nothing tells when those that succeed in silence are over.
void drop_silent(Ring& ring) {
  if (ring.silent == 0) return;  // looking through all of a full table at each operation would be felt
  ring.silent = 0;
  ring.pending.each([&](PendingOperation* p) {
    if (!p->silent) return;
    const PendingOperation gone = *p;
    ring.pending.remove(p);
    lose_operation(gone, ring.busy);
  });
}

/// Forgets the file that the ring knows by a number.
void forget_fixed(Ring& ring, uint32_t number) {
  if (number >= ring.files_count) return;
  forget_tag(ring.files[number]);
  ring.files[number] = kUnknownTag;
}

void submitted(Ring& ring, const uring::Submission& entry, uint64_t start) {
  Meaning meaning = meaning_of(entry.operation);
  while (PendingOperation* old = ring.pending.find(entry.user_data)) {
    if (!old->doubtful) break;
    const PendingOperation gone = *old;
    ring.pending.remove(old);
    lose_operation(gone, ring.busy);
  }
  const bool follows = ring.links;
  ring.links = entry.flags & (uring::kLink | uring::kHardLink);
  ring.submitted++;
  if (ring.pending.is_full()) drop_silent(ring);
  const PendingOperation* previous = ring.pending.newest(entry.user_data);
  PendingOperation* p = ring.pending.add(entry.user_data);
  if (!p) {
    ring.without_place++;
    return lose_operations(1);
  }
  // Files that are opened into the ring's own table have no descriptor to be known by.
  if ((meaning.purpose == Purpose::kOpen || meaning.purpose == Purpose::kNewDescriptor) && entry.file_number != 0 &&
      entry.operation != uring::kInstall)
    meaning.purpose = Purpose::kChangeFiles, p->fixed = meaning.function == Fn::io_uring_open;
  p->function = meaning.function;
  p->purpose = meaning.purpose;
  p->start = passes_by() ? 0 : start;
  p->fd = entry.fd;
  p->flags = entry.operation == uring::kOpen ? entry.operation_flags : 0;
  p->offset = entry.offset;
  p->bytes = has_single_buffer(entry.operation) ? entry.length : kAsMoved;
  p->address = has_single_buffer(entry.operation) ? entry.address : 0;
  p->asked = moves_bytes(p->purpose) ? most_bytes(entry) : 0;
  p->silent = entry.flags & uring::kNoSuccess;
  ring.silent += p->silent;
  p->follows = follows;
  p->serial = ring.submitted;
  if (changes_names(p->purpose)) {
    const bool second = p->purpose == Purpose::kRename || p->purpose == Purpose::kLink;
    p->flags = entry.operation_flags;
    p->bytes = second ? entry.length : 0;
    p->address = p->purpose == Purpose::kSymbolicLink ? copy_paths(entry.offset, 0)
                                                      : copy_paths(entry.address, second ? entry.offset : 0);
  }
  if (is_on_file(p->purpose)) {
    p->fixed = entry.flags & uring::kFixedFile;
    if (on_submission && !p->fixed) on_submission(p->fd);
    keep_while_pending(p, p->fixed ? tag_of_fixed(ring, static_cast<uint32_t>(entry.fd)) : tag_of(entry.fd));
  } else if (p->purpose == Purpose::kClose && entry.file_number != 0) {
    forget_fixed(ring, entry.file_number - 1);
    p->purpose = Purpose::kOther;
    p->fixed = true;
  } else if (p->purpose == Purpose::kClose) {
    p->tag = take_tag(entry.fd);  // before its number is given out anew
    ring_ends(entry.fd);
  } else if (p->purpose == Purpose::kChangeFiles && entry.file_number != 0) {
    forget_fixed(ring, entry.file_number - 1);
  }
  compare_with(previous, p);
  if (takes_time(*p)) ring.busy.begin(start);
}

void see_submissions(Ring& ring, uint64_t start) {
  // A thread of the kernel's takes what is before the tail whenever it comes to it.
  const uint32_t end = __atomic_load_n(ring.polled ? ring.tail : ring.head, __ATOMIC_ACQUIRE);
  uint32_t at = ring.submissions_seen;
  if (end - at > ring.size) at = end - ring.size;  // the completions of those before will have no submission
  for (; at != end; ++at) {
    const uint32_t place = at & (ring.size - 1);
    const uint32_t number = ring.array ? __atomic_load_n(&ring.array[place], __ATOMIC_RELAXED) : place;
    ring.submissions_seen = at + 1;
    if (number >= ring.size) continue;  // the kernel drops it
    uring::Submission entry;
    memcpy(&entry, ring.entries.start + (size_t{number} << ring.entry_shift), sizeof entry);
    submitted(ring, entry, start);
  }
}

// ---- completions

/// For an operation that may be of another file. False: it cannot count without.
bool forget_file(PendingOperation* operation) {
  if (!is_on_file(operation->purpose)) return false;
  let_go(*operation);
  operation->tag = kUnknownTag;
  return true;
}

void completed(Ring& ring, const uring::Completion& seen, uint64_t now) {
  const Match match = match_result(ring.pending, seen.user_data, seen.result);
  PendingOperation* p = match.operation;
  if (!p) {
    if (ring.without_place != 0)
      ring.without_place--;
    else
      lose_operations(1);
    return;
  }
  PendingOperation operation = *p;
  if (seen.flags & uring::kMore) {  // more of it follows, from here on
    p->start = p->start ? now : 0;
    p->doubtful = false;
    if (p->purpose == Purpose::kRead) {
      keep_while_pending(p, operation.tag);
      ring.busy.begin(now);
    } else {  // the one that is counted now gives up what it holds
      p->tag = kUnknownTag;
      p->address = 0;
    }
  } else {
    ring.pending.remove(p);
  }
  if (match.same_file && match.same_kind) return count_operation(operation, seen.result, now, ring.busy);
  note_unsure_operations(2);  // it, and the one that has the other result
  if (match.same_kind && forget_file(&operation)) return count_operation(operation, seen.result, now, ring.busy);
  operation.doubtful = true;  // it is said already
  lose_operation(operation, ring.busy);
}

void see_completions(Ring& ring, uint64_t now) {
  uint32_t at = ring.completions_seen;
  const uint32_t end = __atomic_load_n(ring.completed, __ATOMIC_ACQUIRE);
  while (at != end) {
    uring::Completion seen;
    memcpy(&seen, ring.results + (size_t{at & (ring.results_size - 1)} << ring.result_shift), sizeof seen);
    std::atomic_thread_fence(std::memory_order_acquire);
    const uint32_t newest = __atomic_load_n(ring.completed, __ATOMIC_ACQUIRE);
    if (newest - at > ring.results_size) {  // overwritten: the program took them, and more came, with no call between
      const uint32_t gone = newest - at - ring.results_size;
      lose_operations(gone);
      ring.pending.each([](PendingOperation* p) { p->doubtful = true; });
      at = ring.completions_seen = at + gone;
      if (newest - at > newest - end) continue;
      return;
    }
    ring.completions_seen = ++at;
    completed(ring, seen, now);
  }
}

void unfollow_ring(RingSlot* slot) {
  Ring* ring = slot->ring.exchange(nullptr, std::memory_order_acq_rel);
  if (!ring) return;
  ring->pending.each([&](PendingOperation* p) { lose_operation(*p, ring->busy); });
  for (uint32_t i = 0; i < ring->files_count; ++i) forget_tag(ring->files[i]);
  unmap_ring(ring);
}

/// Does something with a ring unless somebody else does.
template <typename Do>
bool with_ring(RingSlot* slot, const void* frame, Do what) {
  if (!slot || !slot->ring.load(std::memory_order_acquire)) return false;
  if (!slot->lock.take(frame)) return false;
  const int saved = errno;
  Ring* ring = slot->ring.load(std::memory_order_acquire);
  if (ring) what(*ring);
  if (slot->ends.exchange(0, std::memory_order_acq_rel) != 0) unfollow_ring(slot);
  errno = saved;
  slot->lock.give();
  return ring != nullptr;
}

}  // namespace

void ring_made(int fd, const void* parameters) {
  if (in_vfork_child() || !ready() || !state.enabled) return;
  const int saved = errno;
  rings_met.store(true, std::memory_order_relaxed);
  uring::Parameters copy;
  memcpy(&copy, parameters, sizeof copy);
  ring_ends(fd);  // what had its number was closed where nobody saw it
  RingSlots* slots = make_rings();
  RingSlot* slot = slots ? slot_of(fd) : nullptr;
  Ring* ring = slot && !slot->ring.load(std::memory_order_acquire) ? follow_ring(fd, copy) : nullptr;
  Ring* none = nullptr;
  if (!ring)
    tell_of(slot);
  else if (!slot->ring.compare_exchange_strong(none, ring, std::memory_order_acq_rel))
    unmap_ring(ring);
  errno = saved;
}

void look_at_ring(int fd, uint64_t start, uint64_t now) {
  if (in_vfork_child() || !ready()) return;
  with_ring(slot_of(fd), __builtin_frame_address(0), [&](Ring& ring) {
    see_submissions(ring, start);
    see_completions(ring, now);
  });
}

bool is_ring(int fd) {
  RingSlot* slot = slot_of(fd);
  return slot && slot->ring.load(std::memory_order_acquire);
}

void ring_used(Fn function, int fd, int error, Timed time) {
  const int saved = errno;
  if (!in_vfork_child() && ready() && state.enabled) {
    RingSlot* slot = slot_of(fd);
    if (slot && slot->ring.load(std::memory_order_acquire))
      look_at_ring(fd, time.start, time.recorded() ? time.end : base::ticks());
    else if (error != EBADF && error != EOPNOTSUPP && error != ENOSYS)
      tell_of(slot);  // its parent's, or made where nobody saw it
  }
  plain_call(function, error == 0 || error == EAGAIN || error == EINTR || error == ETIME, time);
  errno = saved;
}

void ring_ends(int fd, bool goes_on) {
  RingSlot* slot = slot_of(fd);
  if (!slot) return;
  slot->told.store(0, std::memory_order_relaxed);
  if (!slot->ring.load(std::memory_order_acquire)) return;
  if (goes_on) tell_of(slot);
  const uint64_t now = base::ticks();
  slot->ends.store(1, std::memory_order_release);
  with_ring(slot, __builtin_frame_address(0), [&](Ring& ring) {
    see_submissions(ring, now);
    see_completions(ring, now);
  });
}

void rings_end(uint32_t first, uint32_t last) {
  if (!ready()) return;
  if (last >= kRings) last = kRings - 1;
  for (uint32_t fd = first; fd <= last; ++fd) ring_ends(static_cast<int>(fd));
}

HEADRACE_AT_START void look_at_all_rings(bool last) {
  if (!rings_met.load(std::memory_order_relaxed) || in_vfork_child() || !ready()) return;
  const uint64_t now = base::ticks();
  for (uint32_t fd = 0; fd < kRings; ++fd) {
    with_ring(slot_of(static_cast<int>(fd)), __builtin_frame_address(0), [&](Ring& ring) {
      see_submissions(ring, now);
      see_completions(ring, now);
      if (!last) return;
      ring.pending.each([&](PendingOperation* p) {
        const PendingOperation gone = *p;
        ring.pending.remove(p);
        lose_operation(gone, ring.busy);
        ring.without_place++;  // should it be seen after all
      });
    });
  }
}

// ---- files that a ring knows by number

namespace {

bool make_room_for_files(Ring& ring, uint32_t count) {
  for (uint32_t i = 0; i < ring.files_count; ++i) forget_tag(ring.files[i]);
  if (ring.files) base::unmap(ring.files, ring.files_count * sizeof(uint64_t));
  ring.files = nullptr, ring.files_count = 0;
  if (count == 0 || count > kMostFiles) return false;
  void* memory = base::map_anonymous(count * sizeof(uint64_t));
  if (!memory) return false;
  kernel_call(SYS_madvise, memory, count * sizeof(uint64_t), MADV_DONTFORK);
  ring.files = static_cast<uint64_t*>(memory), ring.files_count = count;
  return true;
}

void put_file(Ring& ring, uint32_t number, int fd) {
  constexpr int kAsItIs = -2;  // IORING_REGISTER_FILES_SKIP
  if (number >= ring.files_count || fd == kAsItIs) return;
  forget_fixed(ring, number);
  if (fd < 0) return;
  PendingOperation holder{};
  keep_while_pending(&holder, tag_of(fd));
  ring.files[number] = holder.tag;
}

}  // namespace

void ring_files(int fd, const int* files, uint32_t first, uint32_t count, bool whole) {
  if (in_vfork_child() || !ready()) return;
  with_ring(slot_of(fd), __builtin_frame_address(0), [&](Ring& ring) {
    if (whole && !make_room_for_files(ring, count)) return;
    Readable memory;
    if (!files || !memory.covers(reinterpret_cast<uintptr_t>(files), size_t{count} * sizeof(int))) return;
    for (uint32_t i = 0; i < count; ++i) put_file(ring, first + i, files[i]);
  });
}

void ring_registered(int fd, uint32_t operation, const void* argument, uint32_t count) {
  switch (operation) {
    case uring::kFiles:
      return ring_files(fd, static_cast<const int*>(argument), 0, count, true);
    case uring::kNoFiles:
      return ring_files(fd, nullptr, 0, 0, true);
    case uring::kFilesTagged: {
      const auto* with = static_cast<const uring::FilesWithTags*>(argument);
      const bool sparse = (with->flags & uring::kSparse) || with->files == 0;
      return ring_files(fd, sparse ? nullptr : reinterpret_cast<const int*>(with->files), 0, with->number, true);
    }
    case uring::kUpdateFiles:
    case uring::kUpdateFilesTagged: {
      const auto* update = static_cast<const uring::FilesUpdate*>(argument);
      const uint32_t number = operation == uring::kUpdateFiles ? count : update->number;
      return ring_files(fd, reinterpret_cast<const int*>(update->files), update->first, number, false);
    }
    case uring::kResize:
      return ring_ends(fd, true);
    default:
      return;
  }
}

}  // namespace headrace::capture
