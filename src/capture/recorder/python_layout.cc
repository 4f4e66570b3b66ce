#include "capture/recorder/python_layout.h"

#include <string.h>

namespace headrace::capture {
namespace {

constexpr uint32_t kNone = PythonLayout::kNone, kReleaseCandidate = 0xc0;

constexpr PythonLayout k310 = {.current = 24,
                               .through = kNone,
                               .previous = 24,
                               .code = 32,
                               .instruction = 96,
                               .line = 100,
                               .owner = kNone,
                               .owners = 0,
                               .shim = kNone,
                               .file = 104,
                               .function = 112,
                               .lines = 120,
                               .first_line = 40,
                               .instructions = kNone,
                               .ascii_text = 48,
                               .any_text = 72};
constexpr PythonLayout k311 = {.current = 56,
                               .through = 8,
                               .previous = 48,
                               .code = 32,
                               .instruction = 56,
                               .line = kNone,
                               .owner = 69,
                               .owners = 3,
                               .shim = kNone,
                               .file = 112,
                               .function = 128,
                               .lines = 136,
                               .first_line = 72,
                               .instructions = 184,
                               .ascii_text = 48,
                               .any_text = 72};
constexpr PythonLayout k312 = {.current = 56,
                               .through = 0,
                               .previous = 8,
                               .code = 0,
                               .instruction = 56,
                               .line = kNone,
                               .owner = 70,
                               .owners = 4,
                               .shim = 3,
                               .file = 112,
                               .function = 128,
                               .lines = 136,
                               .first_line = 68,
                               .instructions = 192,
                               .ascii_text = 40,
                               .any_text = 56};

/// What `_PyRuntime` of 3.13 begins with: 64-bit words, these by number.
enum Word : uint32_t {
  kCookie = 0,
  kVersion = 1,
  kFreeThreaded = 2,
  kCurrentFrame = 23,
  kPrevious = 29,
  kExecutable = 30,
  kInstruction = 31,
  kOwner = 33,
  kFile = 35,
  kQualifiedName = 37,
  kLines = 38,
  kFirstLine = 39,
  kInstructions = 43,
  kType = 45,
  kBytesSize = 65,
  kBytes = 66,
  kTextBytes = 67,
  kTextState = 68,
  kTextLength = 69,
  kAsciiText = 70,
  kWords = 71
};
constexpr uint64_t kLargestOffset = 4096;

bool stated_layout(uint32_t version, uintptr_t runtime, ReadablePages& memory, PythonLayout* out) {
  uint64_t word[kWords];
  if (runtime % 8 != 0 || !memory.covers(runtime, sizeof word)) return false;
  memcpy(word, reinterpret_cast<const void*>(runtime), sizeof word);
  if (memcmp(&word[kCookie], "xdebugpy", 8) != 0 || word[kVersion] != version || word[kFreeThreaded] != 0) return false;
  for (uint32_t i = kCurrentFrame; i < kWords; ++i)
    if (word[i] > kLargestOffset) return false;
  // What every version has in one place is not looked up.
  if (word[kType] != 8 || word[kBytesSize] != 16 || word[kBytes] != 32 || word[kTextState] != 32 ||
      word[kTextLength] != 16)
    return false;
  const auto at = [&](Word which) { return static_cast<uint32_t>(word[which]); };
  *out = {.current = at(kCurrentFrame),
          .through = kNone,
          .previous = at(kPrevious),
          .code = at(kExecutable),
          .instruction = at(kInstruction),
          .line = kNone,
          .owner = at(kOwner),
          .owners = 4,
          .shim = 3,
          .file = at(kFile),
          .function = at(kQualifiedName),
          .lines = at(kLines),
          .first_line = at(kFirstLine),
          .instructions = at(kInstructions),
          .ascii_text = at(kAsciiText),
          .any_text = at(kTextBytes) - 8};
  return true;
}

}  // namespace

bool python_layout(uint32_t version, uintptr_t runtime, ReadablePages& memory, PythonLayout* out) {
  if ((version & 0xf0) < kReleaseCandidate) return false;
  switch (version >> 16) {
    case 0x030a:
      return *out = k310, true;
    case 0x030b:
      return *out = k311, true;
    case 0x030c:
      return *out = k312, true;
    case 0x030d:
      return stated_layout(version, runtime, memory, out);
    default:
      return false;
  }
}

uint32_t python_version(const char* text) {
  uint32_t version = 0;
  for (int part = 0; part < 3; ++part) {
    if (part > 0 && *text++ != '.') return 0;
    uint32_t number = 0, digits = 0;
    for (; *text >= '0' && *text <= '9' && digits < 3; ++digits)
      number = number * 10 + static_cast<uint32_t>(*text++ - '0');
    if (digits == 0 || number > 255) return 0;
    version = version << 8 | number;
  }
  return *text == ' ' || *text == '\0' ? version << 8 | 0xf0 : 0;
}

}  // namespace headrace::capture
