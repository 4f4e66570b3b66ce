// What a CPython's objects say: strings, and tables of lines. Every object's type is checked before it is read, so that
// a layout other than the expected one gives nothing.
#pragma once
#include "capture/recorder/python_layout.h"

namespace headrace::capture {

/// A CPython in this process.
struct Python {
  PythonLayout layout;
  uintptr_t code_type, text_type, bytes_type;  // addresses of its type objects
};

/// Whether an object of that type lies there.
bool is_object(uintptr_t object, uintptr_t type, ReadablePages& memory);

/// The characters of a string, where they lie. `length` 0: none, or not readable.
struct PythonText {
  static constexpr uint32_t kMost = 4096;  // characters; a longer one is not read
  uintptr_t at = 0;
  uint32_t length = 0, width = 1;  // characters, and bytes of each
  uint32_t bytes() const { return length * width; }
};
PythonText python_text(const Python& python, uintptr_t object, ReadablePages& memory);

/// As UTF-8; at most `room` bytes, ended between characters. Bytes that Python could not decode, as of file names, are
/// as they were. Returns how many. The text was just read with success.
uint32_t to_utf8(const PythonText& text, char* out, uint32_t room);

/// The instruction of a frame.
struct PythonPlace {
  uintptr_t code = 0;
  int32_t instruction = -1;  // number of the 16-bit unit; -1: before the first
  uint32_t line = 0;         // where the frame itself says it
  uint64_t mark = 0;         // see mark_places()
};
/// Its line; 0: none, as of code that no line of the source stands for.
uint32_t python_line(const Python& python, const PythonPlace& place, ReadablePages& memory);

}  // namespace headrace::capture
