#include "capture/recorder/python_frames.h"

#include "base/hash.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kMostShims = 4 * kPythonFrames;  // so that a chain that leads back to itself ends

/// Fills in the place in a frame; false: it is not as expected.
bool read_place(const Python& python, uintptr_t frame, ReadablePages& memory, PythonPlace* out) {
  const PythonLayout& layout = python.layout;
  *out = {};
  if (!memory.load(frame + layout.code, &out->code) || !is_object(out->code, python.code_type, memory)) return false;
  if (layout.instructions == PythonLayout::kNone) {
    int32_t line;
    if (!memory.load(frame + layout.instruction, &out->instruction) || !memory.load(frame + layout.line, &line))
      return false;
    if (line > 0) out->line = static_cast<uint32_t>(line);
    return true;
  }
  uintptr_t instruction;
  if (!memory.load(frame + layout.instruction, &instruction)) return false;
  const auto bytes = static_cast<int64_t>(instruction - (out->code + layout.instructions));
  if (bytes >= 0 && bytes / 2 <= INT32_MAX) out->instruction = static_cast<int32_t>(bytes / 2);
  return true;
}

enum class FrameKind { kCode, kShim, kUnknown };
FrameKind kind_of(const PythonLayout& layout, uintptr_t frame, ReadablePages& memory) {
  uint8_t owner;
  if (layout.owner == PythonLayout::kNone) return FrameKind::kCode;
  if (!memory.load(frame + layout.owner, &owner) || owner >= layout.owners) return FrameKind::kUnknown;
  return owner == layout.shim ? FrameKind::kShim : FrameKind::kCode;
}

}  // namespace

void read_python_stack(const Python& python, uintptr_t thread_state, ReadablePages& memory, PythonStack* out) {
  const PythonLayout& layout = python.layout;
  out->count = 0;
  uintptr_t frame;
  if (!thread_state || !memory.load(thread_state + layout.current, &frame)) return;
  if (layout.through != PythonLayout::kNone && (!frame || !memory.load(frame + layout.through, &frame))) return;
  uint32_t count = 0;
  for (uint32_t shims = 0; frame && count < kPythonFrames && shims < kMostShims;) {
    const FrameKind kind = kind_of(layout, frame, memory);
    if (kind == FrameKind::kUnknown ||
        (kind == FrameKind::kCode && !read_place(python, frame, memory, &out->place[count])))
      return;
    if (kind == FrameKind::kCode)
      ++count;
    else
      ++shims;
    if (!memory.load(frame + layout.previous, &frame)) return;
  }
  out->count = count;
}

uint64_t mark_places(const Python& python, PythonStack& stack, ReadablePages& memory) {
  uint64_t all = stack.count, file_hash = 0;
  uintptr_t last_file = 0;
  for (uint32_t i = 0; i < stack.count; ++i) {
    PythonPlace& place = stack.place[i];
    uintptr_t file = 0, function = 0, lines = 0;
    int32_t first = 0;
    memory.load(place.code + python.layout.file, &file);
    memory.load(place.code + python.layout.function, &function);
    memory.load(place.code + python.layout.lines, &lines);
    memory.load(place.code + python.layout.first_line, &first);
    if (i == 0 || file != last_file) {
      const PythonText text = python_text(python, file, memory);
      file_hash = base::hash_bytes(reinterpret_cast<const void*>(text.at), text.bytes());
      last_file = file;
    }
    const uint64_t words[] = {place.code,
                              file,
                              function,
                              lines,
                              file_hash,
                              static_cast<uint64_t>(first),
                              static_cast<uint64_t>(place.instruction),
                              place.line};
    place.mark = base::hash_bytes(words, sizeof words);
    all = base::mix(all, place.mark);
  }
  return all;
}

PythonFrameText describe(const Python& python, const PythonPlace& place, ReadablePages& memory) {
  uintptr_t file = 0, function = 0;
  memory.load(place.code + python.layout.file, &file);
  memory.load(place.code + python.layout.function, &function);
  return {python_text(python, file, memory), python_text(python, function, memory), python_line(python, place, memory)};
}

}  // namespace headrace::capture
