#include "capture/recorder/python_sites.h"

#include <string.h>

#include "base/hash.h"
#include "base/start_code.h"
#include "capture/recorder/site_memory.h"
#include "capture/recorder/spool.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kFrameSlots = 4096, kTextSlots = 2048;
constexpr uint32_t kLongestFunction = 255;  // bytes; of a longer name the beginning is kept

HEADRACE_LARGE uint32_t frame_table[kFrameSlots];
uint32_t frame_count, text_count;
struct KnownText {
  uint64_t hash;
  uint32_t name;
};
HEADRACE_LARGE KnownText text_table[kTextSlots];

/// Frames by marks, because finding a line takes time. A row that two threads write at once fits no mark.
constexpr uint32_t kMarks = 1024;
struct KnownMark {
  uint64_t check, frame;  // check = mark ^ frame
};
HEADRACE_LARGE KnownMark marks[kMarks];

uint32_t frame_of(uint64_t mark) {
  const KnownMark& row = marks[mark % kMarks];
  const uint64_t frame = __atomic_load_n(&row.frame, __ATOMIC_RELAXED),
                 check = __atomic_load_n(&row.check, __ATOMIC_RELAXED);
  return (check ^ frame) == mark ? static_cast<uint32_t>(frame) : 0;
}

void remember(uint64_t mark, uint32_t frame) {
  KnownMark& row = marks[mark % kMarks];
  __atomic_store_n(&row.check, mark ^ frame, __ATOMIC_RELAXED);
  __atomic_store_n(&row.frame, uint64_t{frame}, __ATOMIC_RELAXED);
}

uint64_t hash_of(const PythonText& text) {
  return base::hash_bytes(reinterpret_cast<const void*>(text.at), text.bytes());
}

uint64_t hash_of(const PythonFrameText& frame) {
  return base::mix(base::mix(hash_of(frame.file), hash_of(frame.function)), frame.line);
}

/// Its place in the table: that of the frame, or an empty one.
uint32_t* site_slot(uint64_t hash) {
  for (uint32_t i = static_cast<uint32_t>(hash) % kFrameSlots;; i = (i + 1) % kFrameSlots) {
    const uint32_t offset = __atomic_load_n(&frame_table[i], __ATOMIC_ACQUIRE);
    if (!offset || at<PythonFrame>(offset)->hash == hash) return &frame_table[i];
  }
}

/// A text as a Name. False: there is no room. Lock held.
bool store_text(const PythonText& text, uint32_t longest, uint32_t* name) {
  *name = 0;
  if (text.length == 0) return true;
  const uint64_t hash = base::mix(hash_of(text), text.width);
  uint32_t i = static_cast<uint32_t>(hash) % kTextSlots;
  for (; text_table[i].name; i = (i + 1) % kTextSlots)
    if (text_table[i].hash == hash) return *name = text_table[i].name, true;
  char* utf8 = self->path[2];
  const uint32_t length = to_utf8(text, utf8, longest);
  const uint32_t offset =
      text_count < kTextSlots / 2 ? allocate_share(static_cast<uint32_t>(sizeof(Name)) + length) : 0;
  if (!offset) return false;
  at<Name>(offset)->length = length;
  memcpy(at<Name>(offset) + 1, utf8, length);
  text_table[i] = {hash, offset};
  ++text_count;
  *name = offset;
  return true;
}

/// A frame that is new; 0: there is no room. Lock held.
uint32_t store_frame(uint64_t hash, const PythonFrameText& frame) {
  uint32_t file, function;
  if (frame_count == kFrameSlots / 2 || !store_text(frame.file, kPathMax - 1, &file) ||
      !store_text(frame.function, kLongestFunction, &function))
    return 0;
  const uint32_t offset = allocate_share(sizeof(PythonFrame));
  if (!offset) return 0;
  *at<PythonFrame>(offset) = {hash, frame.line, file, function, 0};
  ++frame_count;
  return offset;
}

}  // namespace

uint32_t known_python_frame(const Python& python, const PythonPlace& place, ReadablePages& memory) {
  if (const uint32_t frame = frame_of(place.mark)) return frame;
  const PythonFrameText text = describe(python, place, memory);
  const uint32_t frame = __atomic_load_n(site_slot(hash_of(text)), __ATOMIC_ACQUIRE);
  if (frame) remember(place.mark, frame);
  return frame;
}

uint32_t add_python_frame(const Python& python, const PythonPlace& place, ReadablePages& memory) {
  if (const uint32_t frame = frame_of(place.mark)) return frame;
  const PythonFrameText text = describe(python, place, memory);
  const uint64_t hash = hash_of(text);
  uint32_t* slot = site_slot(hash);
  uint32_t frame = *slot;
  if (!frame) {
    frame = store_frame(hash, text);
    __atomic_store_n(slot, frame, __ATOMIC_RELEASE);
  }
  if (frame) remember(place.mark, frame);
  return frame;
}

HEADRACE_AT_START void reset_python_frames() {
  if (frame_count == 0) return;
  memset(frame_table, 0, sizeof frame_table);
  memset(text_table, 0, sizeof text_table);
  memset(marks, 0, sizeof marks);
  frame_count = text_count = 0;
}

}  // namespace headrace::capture
