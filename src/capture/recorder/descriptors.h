// The descriptor table: what each descriptor number stands for, as a 64-bit tag that also tells reuse.
//
// Two levels, mapped lazily, not sized by the descriptor limit. The first lies in the page that fork wipes, so a null
// leaf means "not mapped yet, or we are a forked child". Read without a lock by any thread.
#pragma once
#include "capture/recorder/names.h"
#include "capture/recorder/spool.h"

namespace headrace::capture {

// A tag: kind (2 bits), generation (30), slot of an OpenFile or number of an exclusion rule (32).
inline constexpr uint64_t kUnknownTag = 0;  // closed, or open and not looked at yet
inline constexpr uint64_t kTracked = uint64_t{1} << 62, kExcluded = uint64_t{2} << 62, kKindMask = uint64_t{3} << 62;
inline constexpr uint64_t kIgnored = kKindMask;  // met while nothing is recorded; looked at when a phase begins
inline constexpr uint32_t kMaximumOpenFiles = 1 << 18, kFewOpenFiles = 1 << 13;
/// The number under which all streams without a descriptor (fmemopen, fopencookie, …) count.
inline constexpr int kNoDescriptor = kDescriptors - 1;

HEADRACE_COLD std::atomic<uint64_t>* entry_slow(uint32_t fd);

/// The table's entry, or null beyond the table or when capture is off.
HEADRACE_INLINE std::atomic<uint64_t>* entry_of(int fd) {
  auto number = static_cast<uint32_t>(fd);
  if (HEADRACE_UNLIKELY(number >= kDescriptors)) return nullptr;
  WipedOnFork* wiped = state.wiped;
  DescriptorLeaf* leaf =
      HEADRACE_LIKELY(wiped != nullptr) ? __atomic_load_n(&wiped->leaves[number >> 10], __ATOMIC_ACQUIRE) : nullptr;
  if (HEADRACE_UNLIKELY(leaf == nullptr)) return entry_slow(number);
  return &(*leaf)[number & 1023];
}

HEADRACE_COLD uint64_t classify(int fd);

/// The tag of an open descriptor; one met for the first time is looked at. kUnknownTag: it is not open, or not
/// followed.
HEADRACE_INLINE uint64_t tag_of(int fd) {
  std::atomic<uint64_t>* entry = entry_of(fd);
  uint64_t tag = HEADRACE_LIKELY(entry != nullptr) ? entry->load(std::memory_order_relaxed) : kUnknownTag;
  return HEADRACE_LIKELY(tag != kUnknownTag) ? tag : classify(fd);
}
HEADRACE_INLINE bool is_tracked(uint64_t tag) { return (tag & kKindMask) == kTracked; }
HEADRACE_INLINE bool is_excluded(uint64_t tag) { return (tag & kKindMask) == kExcluded; }
HEADRACE_INLINE bool is_ignored(uint64_t tag) { return tag == kIgnored; }
HEADRACE_INLINE OpenFile* file_of(uint64_t tag) { return &state.files[static_cast<uint32_t>(tag)]; }
/// Whether the tag's file is still the one it was made for.
HEADRACE_INLINE bool is_current(uint64_t tag) {
  return (file_of(tag)->generation & 0x3fffffff) == (static_cast<uint32_t>(tag >> 32) & 0x3fffffff);
}

/// Sets what a descriptor stands for; what it stood for before is released. Inside a section.
void set_tag(int fd, uint64_t tag);
/// Takes the tag away, before the real close: another thread may get the number at once.
HEADRACE_INLINE uint64_t take_tag(int fd) {
  std::atomic<uint64_t>* entry = entry_of(fd);
  if (HEADRACE_UNLIKELY(entry == nullptr)) return kUnknownTag;
  uint64_t tag = entry->load(std::memory_order_relaxed);
  // Of two threads that close one descriptor only one may count it and release the file.
  if (HEADRACE_LIKELY(tag != kUnknownTag)) tag = entry->exchange(kUnknownTag, std::memory_order_acq_rel);
  return tag;
}
/// A new description of `record` (whose reference it takes over), with one descriptor; kUnknownTag when there are none
/// left.
uint64_t new_file(uint32_t record, uint32_t flags);
/// Whether new_file() last found that there are as many as can be followed. Any time.
bool lacked_open_file();
/// One descriptor more or less of a description. Inside a section.
void keep_file(uint64_t tag);
void release_file(uint64_t tag);

/// The record of what an open descriptor leads to, by what the kernel says of it; as record_of() gives it.
/// `inherited`: nobody saw it opened, so that 0 to 2 are the standard streams. Inside a section.
int64_t record_of_descriptor(int fd, bool inherited);

/// The descriptor was made or replaced by a call that says nothing about what it is: look at it when it is used.
void forget_descriptor(int fd);
/// The same with a tag that was taken from its descriptor.
void forget_tag(uint64_t tag);
/// The same for a range, both ends included.
void forget_descriptors(uint32_t first, uint32_t last);
/// The path a descriptor was opened with; length 0 where it is not known. Inside a section.
PathName name_of_descriptor(int fd);

/// Maps the page that fork wipes and the table of open files. False: no memory.
bool create_descriptors();
/// In a forked child: finds the records of inherited files anew. `parent` is the parent's spool, still mapped.
void inherit_descriptors(const char* parent, uint64_t parent_bytes);

}  // namespace headrace::capture
