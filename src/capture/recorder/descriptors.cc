#include "capture/recorder/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/kernel.h"
#include "base/start_code.h"
#include "capture/recorder/exclusion.h"
#include "capture/recorder/file_names.h"
#include "capture/recorder/flags.h"
#include "capture/recorder/records.h"
#include "capture/recorder/stream.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kSlotsAtOnce = 1024;  // 64 KiB
constexpr uint32_t kOwnSlots = 64;  // what a thread keeps to itself; one that only closes must not gather all there are

bool none_left;                            // of the slots
HEADRACE_LARGE DescriptorLeaf first_leaf;  // the only one of most processes

uint64_t changed(uint64_t top, uint32_t slot) { return ((top >> 32) + 1) << 32 | slot; }

void give_spare(uint32_t slot) {
  uint64_t top = state.spare_files.load(std::memory_order_relaxed);
  do {
    __atomic_store_n(&state.files[slot].next_free, static_cast<uint32_t>(top), __ATOMIC_RELAXED);
  } while (!state.spare_files.compare_exchange_weak(top, changed(top, slot), std::memory_order_acq_rel));
}

uint32_t take_spare() {
  uint64_t top = state.spare_files.load(std::memory_order_acquire);
  while (auto slot = static_cast<uint32_t>(top)) {
    uint32_t next = __atomic_load_n(&state.files[slot].next_free, __ATOMIC_RELAXED);
    if (state.spare_files.compare_exchange_weak(top, changed(top, next), std::memory_order_acq_rel)) return slot;
  }
  return 0;
}

void give_slot(uint32_t slot) {
  if (self->free_count >= kOwnSlots) return give_spare(slot);
  state.files[slot].next_free = self->free_files;
  self->free_files = slot;
  self->free_count++;
}

/// A limit on data counts what may be written: slots are reserved, and may be written as they are needed. Where two
/// threads need the same ones, both make them so.
bool make_room_from(uint32_t slot) {
  return slot + kSlotsAtOnce <= state.file_slots &&
         base::kernel_call(SYS_mprotect, state.files + slot, kSlotsAtOnce * sizeof(OpenFile), PROT_READ | PROT_WRITE) ==
             0;
}

uint32_t take_slot() {
  if (uint32_t slot = self->free_files) {
    self->free_files = state.files[slot].next_free;
    self->free_count--;
    return slot;
  }
  if (uint32_t slot = take_spare()) return slot;
  uint32_t slot = state.next_file.load(std::memory_order_relaxed);
  do {
    if (slot % kSlotsAtOnce == 0 && !make_room_from(slot)) return 0;
  } while (!state.next_file.compare_exchange_weak(slot, slot + 1, std::memory_order_relaxed));
  return slot ? slot : take_slot();  // 0 is none
}

RecordKind kind_of_mode(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return RecordKind::kFile;
    case S_IFDIR:
      return RecordKind::kDirectory;
    case S_IFIFO:
      return RecordKind::kPipe;
    case S_IFSOCK:
      return RecordKind::kSocket;
    case S_IFCHR:
    case S_IFBLK:
      return RecordKind::kDevice;
    default:
      return RecordKind::kAnonymous;
  }
}

struct Found {
  char* text;  // kPathMax bytes
  uint32_t length;
  RecordKind kind;
};

/// Neither pipes nor what the streams of a terminal lead to are told apart.
bool has_identity(RecordKind kind) {
  return kind == RecordKind::kFile || kind == RecordKind::kDirectory || kind == RecordKind::kAnonymous;
}

/// What an open descriptor is, from the kernel. False: it is not open. `inherited`: nobody saw it opened.
bool look_at(int fd, Found& found, bool inherited) {
  if (fd == kNoDescriptor) {
    strcpy(found.text, "<streams without a descriptor>");
    found.length = static_cast<uint32_t>(strlen(found.text));
    found.kind = RecordKind::kAnonymous;
    return true;
  }
  const FileKind kind = file_kind(fd);
  if (kind.mode == 0) return false;
  found.kind = kind_of_mode(kind.mode);
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = base::kernel_call(SYS_readlinkat, AT_FDCWD, link, found.text, kPathMax - 1);
  found.length = length > 0 ? static_cast<uint32_t>(length) : 0;
  found.text[found.length] = 0;
  static const char kDeleted[] = " (deleted)";
  constexpr uint32_t kDeletedLength = sizeof kDeleted - 1;
  if (kind.links == 0 && found.length > kDeletedLength &&
      memcmp(found.text + found.length - kDeletedLength, kDeleted, kDeletedLength) == 0)
    found.length -= kDeletedLength;
  bool has_path = found.length > 0 && found.text[0] == '/' && strncmp(found.text, "/memfd:", 7) != 0;
  if (!has_path && found.kind == RecordKind::kFile) found.kind = RecordKind::kAnonymous;
  if (inherited && fd <= 2 && found.kind != RecordKind::kFile && found.kind != RecordKind::kDirectory) {
    static const char* const kStreams[] = {"<stdin>", "<stdout>", "<stderr>"};
    found.kind = RecordKind::kStream;
    strcpy(found.text, kStreams[fd]);
  } else if (found.kind == RecordKind::kPipe && !has_path) {
    strcpy(found.text, "<pipe>");
  } else if (found.kind == RecordKind::kSocket) {
    strcpy(found.text, "<socket>");
  } else if (found.length == 0) {
    strcpy(found.text, "<unknown>");
  } else {
    found.text[found.length] = 0;
    return true;
  }
  found.length = static_cast<uint32_t>(strlen(found.text));
  return true;
}

uint64_t classify_in_section(int fd, std::atomic<uint64_t>* entry) {
  const int64_t record = record_of_descriptor(fd, true);
  uint64_t tag = kUnknownTag;
  if (record < 0) {
    tag = kExcluded | static_cast<uint64_t>(-1 - record);
  } else if (record > 0) {
    tag = new_file(static_cast<uint32_t>(record), flag::inherited | flag::offsets_unknown);
    if (tag != kUnknownTag) file_of(tag)->unknown_position |= 1, file_of(tag)->unknown_stream_position |= 1;
  }
  uint64_t nothing = kUnknownTag;
  if (tag != kUnknownTag && !entry->compare_exchange_strong(nothing, tag)) {
    if (is_tracked(tag)) release_file(tag);  // another thread looked at it, too
    return nothing;
  }
  return tag;
}

}  // namespace

int64_t record_of_descriptor(int fd, bool inherited) {
  Found found{self->path[2], 0, RecordKind::kAnonymous};
  if (!look_at(fd, found, inherited)) return 0;
  const int rule = found.kind == RecordKind::kStream ? -1 : excluding_rule(found.text, found.length);
  if (rule >= 0) return -1 - rule;
  const PathName name{found.text, found.length, hash_name(found.text, found.length)};
  return take_record(name, found.kind, has_identity(found.kind) ? identity_of(fd) : 0);
}

std::atomic<uint64_t>* entry_slow(uint32_t fd) {
  if (in_vfork_child() || !ready()) return nullptr;
  uint32_t i = fd >> 10;
  if (!__atomic_load_n(&state.wiped->leaves[i], __ATOMIC_ACQUIRE)) {
    const bool is_first = i == 0;
    if (is_first) first_leaf[fd & 1023].fetch_or(0);  // what is read before it is written takes two faults
    void* leaf = is_first ? &first_leaf : base::map_anonymous(sizeof(DescriptorLeaf));
    DescriptorLeaf* none = nullptr;
    if (leaf && __atomic_compare_exchange_n(&state.leaves[i], &none, static_cast<DescriptorLeaf*>(leaf), false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      none = static_cast<DescriptorLeaf*>(leaf);
    else if (leaf && !is_first)
      base::unmap(leaf, sizeof(DescriptorLeaf));
    __atomic_store_n(&state.wiped->leaves[i], none, __ATOMIC_RELEASE);
  }
  DescriptorLeaf* leaf = __atomic_load_n(&state.wiped->leaves[i], __ATOMIC_ACQUIRE);
  return leaf ? &(*leaf)[fd & 1023] : nullptr;
}

uint64_t classify(int fd) {
  if (fd < 0 || in_vfork_child()) return kUnknownTag;
  std::atomic<uint64_t>* entry = entry_of(fd);
  if (!entry) return kUnknownTag;
  uint64_t tag = entry->load();
  if (tag != kUnknownTag) return tag;
  if (state.paused.load(std::memory_order_relaxed))
    return entry->compare_exchange_strong(tag, kIgnored) ? kIgnored : tag;
  int saved = errno;
  Update update;
  if (update.enter()) {
    tag = classify_in_section(fd, entry);
    update.leave();
  }
  errno = saved;
  return tag;
}

uint64_t new_file(uint32_t record, uint32_t flags) {
  uint32_t slot = take_slot();
  __atomic_store_n(&none_left, slot == 0, __ATOMIC_RELAXED);
  if (!slot) {
    drop_record(record);
    return kUnknownTag;
  }
  OpenFile& file = state.files[slot];
  file.position = 0;
  file.generation++;
  file.record = record;
  file.hash = at<Record>(record)->hash;
  file.flags = flags;
  file.append = (flags & flag::append) != 0;
  file.stream_position = file.stream_seen = file.stream_owner = 0;
  // A roll-up holds many files, so no offset of it means anything.
  file.unknown_position = at<Record>(record)->kind == RecordKind::kDirectoryRollup ? 2 : 0;
  file.unknown_stream_position = file.unknown_position;
  file.references.store(1, std::memory_order_relaxed);
  return kTracked | uint64_t{file.generation & 0x3fffffff} << 32 | slot;
}

bool lacked_open_file() { return __atomic_load_n(&none_left, __ATOMIC_RELAXED); }

void keep_file(uint64_t tag) { file_of(tag)->references.fetch_add(1, std::memory_order_relaxed); }

void release_file(uint64_t tag) {
  OpenFile* file = file_of(tag);
  if (!is_current(tag)) return;
  // The last reference needs no atomic step: nobody else has one to take more from.
  if (file->references.load(std::memory_order_acquire) != 1 &&
      file->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  drop_record(file->record);
  file->record = 0;
  file->generation++;  // whoever still holds the tag finds it stale
  give_slot(static_cast<uint32_t>(tag));
}

void set_tag(int fd, uint64_t tag) {
  std::atomic<uint64_t>* entry = entry_of(fd);
  if (!entry) {
    if (is_tracked(tag)) release_file(tag);
    return;
  }
  // What an open that began in a phase found after its end is not followed.
  if (HEADRACE_UNLIKELY(state.paused.load(std::memory_order_relaxed)) && is_tracked(tag)) {
    release_file(tag);
    tag = kUnknownTag;
  }
  uint64_t old = entry->exchange(tag, std::memory_order_acq_rel);
  if (is_tracked(old)) release_file(old);
}

void forget_descriptor(int fd) {
  if (fd < 0 || in_vfork_child()) return;
  forget_tag(take_tag(fd));
}

void forget_tag(uint64_t tag) {
  if (!is_tracked(tag) || in_vfork_child()) return;
  Update update;
  if (!update.enter()) return;
  release_file(tag);
  update.leave();
}

void forget_descriptors(uint32_t first, uint32_t last) {
  if (in_vfork_child() || !ready()) return;
  if (last >= kDescriptors) last = kDescriptors - 1;
  for (uint32_t i = first >> 10; i <= last >> 10 && first <= last; ++i) {
    if (!state.wiped->leaves[i]) continue;
    uint32_t from = i == first >> 10 ? first & 1023 : 0, to = i == last >> 10 ? last & 1023 : 1023;
    for (uint32_t j = from; j <= to; ++j)
      if ((*state.wiped->leaves[i])[j].load(std::memory_order_relaxed) != kUnknownTag)
        forget_descriptor(static_cast<int>(i * 1024 + j));
  }
}

PathName name_of_descriptor(int fd) {
  std::atomic<uint64_t>* entry = entry_of(fd);
  uint64_t tag = entry ? entry->load(std::memory_order_relaxed) : kUnknownTag;
  if (entry && tag == kUnknownTag) tag = classify_in_section(fd, entry);
  if (is_tracked(tag) && is_current(tag)) {
    const Record* record = at<Record>(file_of(tag)->record);
    if (record->kind != RecordKind::kDirectoryRollup) return last_name(file_of(tag)->record);
  }
  // Excluded directories and those in roll-ups have no record to ask.
  char* text = self->path[2];
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = base::kernel_call(SYS_readlinkat, AT_FDCWD, link, text, kPathMax - 1);
  return {text, length > 0 && text[0] == '/' ? static_cast<uint32_t>(length) : 0, 0};
}

HEADRACE_AT_START bool create_descriptors() {
  constexpr size_t kPage = 4096, kWiped = (sizeof(WipedOnFork) + kPage - 1) / kPage * kPage;
  void* wiped = base::map_anonymous(kWiped);
  state.file_slots = kMaximumOpenFiles;
  void* files = base::reserve(kMaximumOpenFiles * sizeof(OpenFile));
  if (!files) files = base::reserve((state.file_slots = kFewOpenFiles) * sizeof(OpenFile));  // a limit on addresses
  // Without the wipe a child would write into its parent's spool: then capture stays off.
  if (!wiped || !files || madvise(wiped, kWiped, MADV_WIPEONFORK) != 0) {
    if (wiped) base::unmap(wiped, kWiped);
    if (files) base::unmap(files, state.file_slots * sizeof(OpenFile));
    return false;
  }
  state.files = static_cast<OpenFile*>(files);
  state.wiped = static_cast<WipedOnFork*>(wiped);
  return true;
}

namespace {

/// The name of an inherited file in its parent's spool; length 0 where there is none: a roll-up's says nothing of the
/// file, and the parent, which runs on, may have reused the memory, so that only a name with the right hash is one.
PathName name_in(const char* parent, uint64_t parent_bytes, const OpenFile& file, RecordKind& kind,
                 FileIdentity& identity) {
  constexpr PathName kNone{nullptr, 0, 0};
  if (file.record == 0 || file.record + sizeof(Record) >= parent_bytes) return kNone;
  const auto* record = reinterpret_cast<const Record*>(parent + file.record);
  const uint32_t length = *const_cast<const volatile uint32_t*>(&record->name_length);  // read once: it may change
  kind = record->kind;
  if (has_identity(kind)) identity = record->file;
  if (file.record + sizeof(Record) + length > parent_bytes || kind == RecordKind::kDirectoryRollup) return kNone;
  return hash_name(name_of(record), length) == file.hash ? PathName{name_of(record), length, file.hash} : kNone;
}

}  // namespace

void inherit_descriptors(const char* parent, uint64_t parent_bytes) {
  for (uint32_t i = 0; i < kLeaves; ++i) {
    state.wiped->leaves[i] = state.leaves[i];
    for (uint32_t j = 0; state.leaves[i] && j < 1024; ++j) {
      std::atomic<uint64_t>& entry = (*state.leaves[i])[j];
      uint64_t tag = entry.load(std::memory_order_relaxed);
      if (state.paused.load(std::memory_order_relaxed)) entry.store(kUnknownTag);  // the child is in no phase
      if (!is_tracked(tag) || entry.load(std::memory_order_relaxed) == kUnknownTag) continue;
      OpenFile* file = file_of(tag);
      // Marked in this pass, so that a description with two descriptors is renewed once.
      if (file->unknown_position & 4) continue;
      RecordKind kind;
      FileIdentity identity = 0;
      PathName name = name_in(parent, parent_bytes, *file, kind, identity);
      if (name.length == 0) {  // looked at when it is used
        entry.store(kUnknownTag);
        continue;
      }
      uint32_t record = take_record(name, kind, identity);
      file->record = record;
      file->flags |= flag::inherited | flag::offsets_unknown;
      file->unknown_position |= 1 | 4;
      file->unknown_stream_position |= 1;
      inherit_stream(file);
      if (!record) entry.store(kUnknownTag);
    }
  }
  for (uint32_t i = 1; i < state.next_file.load(); ++i) {
    OpenFile& file = state.files[i];
    if (!(file.unknown_position & 4) && file.record) file.record = 0;  // closed by a thread that does not exist here
    file.unknown_position &= static_cast<uint8_t>(~4u);
  }
}

}  // namespace headrace::capture
