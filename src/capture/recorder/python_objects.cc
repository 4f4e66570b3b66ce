#include "capture/recorder/python_objects.h"

#include <string.h>

namespace headrace::capture {
namespace {

constexpr uint32_t kTypeAt = 8, kBytesSizeAt = 16, kBytesAt = 32, kTextLengthAt = 16,
                   kTextStateAt = 32;        // in every version
constexpr uint64_t kLargestTable = 1 << 18;  // bytes: some 100,000 lines of one function

/// A table of lines, byte by byte. It was seen to be readable.
struct Table {
  const unsigned char *at, *end;

  bool more() const { return at < end; }
  unsigned char next() { return at < end ? *at++ : 0; }
  /// Six bits a byte, the least first; the seventh says that there are more.
  uint32_t number() {
    uint32_t value = 0;
    for (uint32_t shift = 0; more(); shift += 6) {
      const unsigned char byte = next();
      if (shift < 32) value |= static_cast<uint32_t>(byte & 63) << shift;
      if (!(byte & 64)) break;
    }
    return value;
  }
  int64_t signed_number() {
    const uint32_t value = number();
    return value & 1 ? -static_cast<int64_t>(value >> 1) : static_cast<int64_t>(value >> 1);
  }
};

/// Since 3.11: an entry's first byte has its top bit set, says how many instructions it is for, and of which kind it
/// is.
int64_t line_of_unit(Table table, int64_t line, int32_t instruction) {
  for (int64_t end = 0; table.more();) {
    const unsigned char first = table.next();
    const uint32_t kind = first >> 3 & 15;
    if (kind == 13 || kind == 14) line += table.signed_number();
    if (kind >= 10 && kind <= 12) line += int64_t{kind} - 10;
    end += (first & 7) + 1;
    if (instruction < end) return kind == 15 ? 0 : line;
    while (table.more() && *table.at < 128) ++table.at;  // columns
  }
  return 0;
}

/// In 3.10: pairs of bytes to go on by and lines to go on by; -128 for code without a line.
int64_t line_of_byte(Table table, int64_t line, int64_t byte) {
  for (int64_t end = 0; table.more();) {
    end += table.next();
    const auto step = static_cast<signed char>(table.next());
    if (step != -128) line += step;
    if (byte < end) return step == -128 ? 0 : line;
  }
  return 0;
}

uint32_t put(char* out, uint32_t code) {
  if (code < 0x80) return *out = static_cast<char>(code), 1;
  uint32_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4, shift = 6 * (length - 1);
  *out++ = static_cast<char>((0xf00 >> length & 0xff) | code >> shift);
  while (shift) *out++ = static_cast<char>(0x80 | (code >> (shift -= 6) & 63));
  return length;
}

}  // namespace

bool is_object(uintptr_t object, uintptr_t type, ReadablePages& memory) {
  uintptr_t found;
  return object != 0 && memory.load(object + kTypeAt, &found) && found == type;
}

PythonText python_text(const Python& python, uintptr_t object, ReadablePages& memory) {
  uint64_t length;
  uint32_t state;
  if (!is_object(object, python.text_type, memory) || !memory.load(object + kTextLengthAt, &length) ||
      !memory.load(object + kTextStateAt, &state))
    return {};
  const uint32_t width = state >> 2 & 7;
  const bool compact = state >> 5 & 1, ascii = state >> 6 & 1;
  if (!compact || (width != 1 && width != 2 && width != 4) || length > PythonText::kMost) return {};
  const PythonText text{object + (ascii ? python.layout.ascii_text : python.layout.any_text),
                        static_cast<uint32_t>(length), width};
  return memory.covers(text.at, text.bytes()) ? text : PythonText{};
}

uint32_t to_utf8(const PythonText& text, char* out, uint32_t room) {
  uint32_t used = 0;
  for (uint32_t i = 0; i < text.length; ++i) {
    uint32_t code = 0;
    memcpy(&code, reinterpret_cast<const void*>(text.at + uintptr_t{i} * text.width), text.width);
    char bytes[4];
    uint32_t length = 1;
    if (code >= 0xdc80 && code <= 0xdcff)
      bytes[0] = static_cast<char>(code - 0xdc00);
    else
      length = put(bytes, code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? 0xfffd : code);
    if (used + length > room) break;
    memcpy(out + used, bytes, length);
    used += length;
  }
  return used;
}

uint32_t python_line(const Python& python, const PythonPlace& place, ReadablePages& memory) {
  if (place.line) return place.line;
  uintptr_t object;
  uint64_t bytes;
  int32_t first;
  if (!memory.load(place.code + python.layout.lines, &object) || !is_object(object, python.bytes_type, memory) ||
      !memory.load(object + kBytesSizeAt, &bytes) || !memory.load(place.code + python.layout.first_line, &first) ||
      bytes > kLargestTable || !memory.covers(object + kBytesAt, bytes))
    return 0;
  if (place.instruction < 0) return first > 0 ? static_cast<uint32_t>(first) : 0;
  const auto* begin = reinterpret_cast<const unsigned char*>(object + kBytesAt);
  const Table table{begin, begin + bytes};
  const int64_t line = python.layout.instructions == PythonLayout::kNone
                           ? line_of_byte(table, first, int64_t{place.instruction} * 2)
                           : line_of_unit(table, first, place.instruction);
  return line > 0 && line <= INT32_MAX ? static_cast<uint32_t>(line) : 0;
}

}  // namespace headrace::capture
