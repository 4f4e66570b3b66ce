// Made interpreters: what is read of one that is as expected, and that nothing is read of one that is not.
#include "capture/recorder/python_frames.h"

#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <string.h>
#include <sys/mman.h>

#include <random>
#include <string>
#include <vector>

#include "base/stride.h"
#include "capture/recorder/elf_symbols.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kNone = PythonLayout::kNone;

/// Objects of a version in memory of their own, between pages that cannot be read.
struct Made {
  static constexpr size_t kBytes = 64 << 10, kPage = 4096;
  uint32_t version;
  char* base;
  size_t used = 64;
  Python python;
  uintptr_t runtime = 0, thread, c_frame = 0, last = 0;

  explicit Made(uint32_t wanted) : version(wanted) {
    auto* all = static_cast<char*>(mmap(nullptr, kBytes + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    base = all + kPage;
    mprotect(base, kBytes, PROT_READ | PROT_WRITE);
    if (version >> 16 == 0x030d) runtime = state_offsets();
    ReadablePages memory;
    EXPECT_TRUE(python_layout(version, runtime, memory, &python.layout));
    python.code_type = make(64);
    python.text_type = make(64);
    python.bytes_type = make(64);
    thread = make(256);
    if (python.layout.through == kNone) return;
    c_frame = make(64);
    put(thread + python.layout.current, c_frame);
  }
  ~Made() { munmap(base - kPage, kBytes + 2 * kPage); }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;

  uintptr_t make(size_t bytes) {
    const auto at = reinterpret_cast<uintptr_t>(base) + used;
    used += (bytes + 15) / 16 * 16;
    EXPECT_LE(used, kBytes);
    return at;
  }
  template <typename T>
  static void put(uintptr_t at, T value) {
    memcpy(reinterpret_cast<void*>(at), &value, sizeof value);
  }
  uintptr_t object(uintptr_t type, size_t bytes) {
    const uintptr_t at = make(bytes);
    put(at + 8, type);
    return at;
  }
  /// The first words of the runtime, for objects of other sizes than any version has.
  uintptr_t state_offsets() {
    const uintptr_t at = make(8 * 80);
    uint64_t word[80] = {};
    memcpy(&word[0], "xdebugpy", 8);
    word[1] = version;
    for (auto [number, offset] : {std::pair<int, int>{23, 40},
                                  {29, 16},
                                  {30, 24},
                                  {31, 32},
                                  {33, 60},
                                  {35, 48},
                                  {37, 56},
                                  {38, 64},
                                  {39, 72},
                                  {43, 96},
                                  {45, 8},
                                  {65, 16},
                                  {66, 32},
                                  {67, 72},
                                  {68, 32},
                                  {69, 16},
                                  {70, 48}})
      word[number] = static_cast<uint64_t>(offset);
    memcpy(reinterpret_cast<void*>(at), word, sizeof word);
    return at;
  }
  template <typename Unit>
  uintptr_t text(std::basic_string_view<Unit> characters) {
    bool ascii = sizeof(Unit) == 1;
    for (Unit c : characters) ascii = ascii && static_cast<uint32_t>(c) < 128;
    const uintptr_t at = object(python.text_type, 80 + characters.size() * sizeof(Unit));
    put(at + 16, characters.size());
    put(at + 32, static_cast<uint32_t>(sizeof(Unit) << 2 | 1 << 5 | (ascii ? 1 << 6 : 0)));
    memcpy(reinterpret_cast<void*>(at + (ascii ? python.layout.ascii_text : python.layout.any_text)), characters.data(),
           characters.size() * sizeof(Unit));
    return at;
  }
  uintptr_t code(uintptr_t file, uintptr_t function, std::string_view table, int32_t first) {
    const uintptr_t lines = object(python.bytes_type, 32 + table.size()), at = object(python.code_type, 512);
    put(lines + 16, table.size());
    memcpy(reinterpret_cast<void*>(lines + 32), table.data(), table.size());
    put(at + python.layout.file, file);
    put(at + python.layout.function, function);
    put(at + python.layout.lines, lines);
    put(at + python.layout.first_line, first);
    return at;
  }
  /// A caller of the frames so far.
  uintptr_t call(uintptr_t code, int32_t instruction, uint8_t owner = 0) {
    const PythonLayout& layout = python.layout;
    const uintptr_t at = make(256);
    put(at + layout.code, code);
    if (layout.instructions == kNone)
      put(at + layout.instruction, instruction);
    else
      put(at + layout.instruction, code + layout.instructions + static_cast<uintptr_t>(int64_t{instruction} * 2));
    if (layout.owner != kNone) put(at + layout.owner, owner);
    put(last ? last + layout.previous : c_frame ? c_frame + layout.through : thread + layout.current, at);
    return last = at;
  }
  PythonStack read() const {
    PythonStack stack;
    ReadablePages memory;
    read_python_stack(python, thread, memory, &stack);
    return stack;
  }
};

std::string shown(const PythonText& text) {
  std::string out(4 * size_t{text.length}, '\0');
  out.resize(to_utf8(text, out.data(), static_cast<uint32_t>(out.size())));
  return out;
}

/// Three units of line 10, two of 12, one of none, one of 9; as each version has it.
std::string table_of(uint32_t version) {
  if (version >> 16 == 0x030a) return {"\x06\x00\x04\x02\x02\x80\x02\xfd", 8};
  return "\x82\x11\xe1\x11\x11\xf8\xe8\x07";
}

class PythonFrames : public ::testing::TestWithParam<uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Versions, PythonFrames, ::testing::Values(0x030a0df0, 0x030b07f0, 0x030c01f0, 0x030d00f0),
                         [](const auto& each) { return "v3_" + std::to_string(each.param >> 16 & 255); });

TEST_P(PythonFrames, CodeOfAStackIsRead) {
  Made made(GetParam());
  const uintptr_t file = made.text<char>("/home/me/simulate.py"),
                  code = made.code(file, made.text<char>("Grid.dump"), table_of(GetParam()), 10);
  made.call(code, 2);
  if (made.python.layout.shim != kNone) made.call(0, 0, 3);
  made.call(code, 4);
  const PythonStack stack = made.read();
  ASSERT_EQ(stack.count, 2u);
  ReadablePages memory;
  const PythonFrameText inner = describe(made.python, stack.place[0], memory),
                        outer = describe(made.python, stack.place[1], memory);
  EXPECT_EQ(shown(inner.file), "/home/me/simulate.py");
  EXPECT_EQ(shown(inner.function), "Grid.dump");
  EXPECT_EQ(inner.line, 10u);
  EXPECT_EQ(outer.line, 12u);
}

TEST_P(PythonFrames, EveryInstructionHasItsLine) {
  Made made(GetParam());
  const uintptr_t code = made.code(0, 0, table_of(GetParam()), 10);
  const uint32_t lines[] = {10, 10, 10, 12, 12, 0, 9, 0, 0};
  ReadablePages memory;
  for (int32_t unit = 0; unit < 9; ++unit)
    EXPECT_EQ(python_line(made.python, {code, unit, 0, 0}, memory), lines[unit]) << unit;
  EXPECT_EQ(python_line(made.python, {code, -1, 0, 0}, memory), 10u);
  EXPECT_EQ(python_line(made.python, {code, 2, 77, 0}, memory), 77u);
}

TEST_P(PythonFrames, DeepRecursionKeepsTheInnermost) {
  Made made(GetParam());
  const uintptr_t code = made.code(0, 0, table_of(GetParam()), 10);
  for (uint32_t i = 0; i < kPythonFrames + 10; ++i) made.call(code, i == 0 ? 6 : 0);
  const PythonStack stack = made.read();
  EXPECT_EQ(stack.count, kPythonFrames);
  EXPECT_EQ(stack.place[0].instruction, 6);
}

TEST_P(PythonFrames, AChainThatLeadsBackEnds) {
  Made made(GetParam());
  const uintptr_t frame = made.call(made.code(0, 0, "", 1), 0);
  Made::put(frame + made.python.layout.previous, frame);
  EXPECT_EQ(made.read().count, kPythonFrames);
  if (made.python.layout.shim == kNone) return;
  Made::put(frame + made.python.layout.owner, uint8_t{3});
  EXPECT_EQ(made.read().count, 0u);
}

TEST_P(PythonFrames, AnotherLayoutGivesNothing) {
  Made made(GetParam());
  const uintptr_t code = made.code(0, 0, "", 1), frame = made.call(code, 0);
  EXPECT_EQ(made.read().count, 1u);
  Made::put(code + 8, made.python.text_type);
  EXPECT_EQ(made.read().count, 0u) << "a frame's code is of another type";
  Made::put(code + 8, made.python.code_type);
  Made::put(frame + made.python.layout.code, reinterpret_cast<uintptr_t>(made.base) - 64);
  EXPECT_EQ(made.read().count, 0u) << "and where nothing can be read";
  Made::put(frame + made.python.layout.code, code);
  Made::put(frame + made.python.layout.previous, uintptr_t{0x123});
  EXPECT_EQ(made.read().count, 0u) << "a caller that is none";
  if (made.python.layout.owner == kNone) return;
  Made::put(frame + made.python.layout.previous, uintptr_t{0});
  Made::put(frame + made.python.layout.owner, uint8_t{9});
  EXPECT_EQ(made.read().count, 0u) << "an owner that no version has";
}

TEST_P(PythonFrames, DamageIsNeverFatal) {
  std::mt19937_64 random(5);
  Made made(GetParam());
  const uintptr_t file = made.text<char>("/home/me/simulate.py"),
                  code = made.code(file, made.text<char16_t>(u"gr\u00fcn\u6771"), table_of(GetParam()), 10);
  for (int i = 0; i < 5; ++i) made.call(code, i);
  const std::vector<char> whole(made.base, made.base + made.used);
  for (int round = 0; round < 20000; round += base::kStride) {
    memcpy(made.base, whole.data(), whole.size());
    for (uint64_t changes = 1 + random() % 6; changes > 0; --changes) {
      const size_t at = random() % (made.used / 8) * 8;
      uint64_t word = random() % 3 == 0 ? random() : reinterpret_cast<uintptr_t>(made.base) + random() % 70'000;
      if (random() % 3 == 0) word = uint64_t{1} << random() % 64;
      memcpy(made.base + at, &word, sizeof word);
    }
    PythonStack stack = made.read();
    ReadablePages memory;
    mark_places(made.python, stack, memory);
    for (uint32_t i = 0; i < stack.count; ++i) {
      const PythonFrameText text = describe(made.python, stack.place[i], memory);
      EXPECT_LE(shown(text.file).size() + shown(text.function).size(), 8 * PythonText::kMost);
    }
  }
}

TEST_P(PythonFrames, MarksTellPlacesApart) {
  Made made(GetParam());
  const uintptr_t file = made.text<char>("<made 1>"), code = made.code(file, made.text<char>("f"), "", 1),
                  frame = made.call(code, 0);
  ReadablePages memory;
  const auto mark = [&] {
    PythonStack stack = made.read();
    return mark_places(made.python, stack, memory);
  };
  const uint64_t first = mark();
  EXPECT_EQ(mark(), first);
  // Other code in the place of code that is gone, with another file's name in the place of the one before.
  reinterpret_cast<char*>(file + made.python.layout.ascii_text)[6] = '2';
  const uint64_t second = mark();
  EXPECT_NE(second, first);
  Made::put(frame + made.python.layout.instruction, uint64_t{0});
  EXPECT_EQ(made.read().count, 1u);
  made.call(code, 0);
  EXPECT_NE(mark(), second);
}

TEST_P(PythonFrames, TextsOfEveryWidth) {
  Made made(GetParam());
  ReadablePages memory;
  const auto read = [&](uintptr_t object) { return shown(python_text(made.python, object, memory)); };
  EXPECT_EQ(read(made.text<char>("plain")), "plain");
  EXPECT_EQ(read(made.text<char>("gr\xfcn")), "grün");
  EXPECT_EQ(read(made.text<char16_t>(u"東京")), "東京");
  EXPECT_EQ(read(made.text<char32_t>(U"a😀")), "a😀");
  // What was no UTF-8 in a file's name comes back; a half of a pair does not.
  EXPECT_EQ(read(made.text<char16_t>({u"\xdcff|\xd800", 3})), "\xff|\xef\xbf\xbd");
  EXPECT_EQ(read(made.text<char>(std::string(PythonText::kMost + 1, 'x'))), "");
  char room[4];
  EXPECT_EQ(to_utf8(python_text(made.python, made.text<char16_t>(u"ab東"), memory), room, sizeof room), 2u);
}

TEST(PythonLayout, OnlyKnownVersions) {
  PythonLayout layout;
  ReadablePages memory;
  for (const uint32_t version : {0u, 0x03090ff0u, 0x030e00f0u, 0x040a00f0u, 0x030c00b4u, 0x030a00a1u})
    EXPECT_FALSE(python_layout(version, 0, memory, &layout)) << version;
  EXPECT_TRUE(python_layout(0x030c00c1, 0, memory, &layout));
}

TEST(PythonLayout, StatedOffsetsAreChecked) {
  Made made(0x030d00f0);
  PythonLayout layout;
  ReadablePages memory;
  const auto works = [&] { return python_layout(0x030d00f0, made.runtime, memory, &layout); };
  ASSERT_TRUE(works());
  EXPECT_EQ(layout.current, 40u);
  EXPECT_EQ(layout.any_text, 64u);
  auto* words = reinterpret_cast<uint64_t*>(made.runtime);
  for (const uint32_t word : {0, 1, 2, 23, 30, 45, 70}) {
    const uint64_t before = words[word];
    words[word] = word == 2 ? 1 : 1 << 20;
    EXPECT_FALSE(works()) << word;
    words[word] = before;
  }
  EXPECT_FALSE(python_layout(0x030d01f0, made.runtime, memory, &layout)) << "of another release";
  EXPECT_FALSE(python_layout(0x030d00f0, made.runtime + 4, memory, &layout));
  EXPECT_FALSE(python_layout(0x030d00f0, reinterpret_cast<uintptr_t>(made.base) - 8, memory, &layout));
}

TEST(PythonLayout, VersionsInWords) {
  EXPECT_EQ(python_version("3.10.13 (main, May  9 2026, 07:34:36) [GCC 12.2.0]"), 0x030a0df0u);
  EXPECT_EQ(python_version("3.10.0"), 0x030a00f0u);
  for (const char* text : {"", "3", "3.10", "3.10.", "3.10.0b1 (main", "3.10.13+ (heads", "three", "3.1000.1 "})
    EXPECT_EQ(python_version(text), 0u) << text;
}

TEST(ElfSymbols, AreThoseOfTheirObject) {
  prepare_objects();
  LoadedObject object;
  ASSERT_TRUE(find_object(reinterpret_cast<uintptr_t>(&gnu_get_libc_version), &object));
  EXPECT_NE(exported_symbol(object, "gnu_get_libc_version"), 0u);
  EXPECT_NE(exported_symbol(object, "environ"), 0u);
  EXPECT_EQ(exported_symbol(object, "headrace_is_not_there"), 0u);
  EXPECT_EQ(exported_symbol(object, ""), 0u);
  object.end = object.start + 100;  // nothing outside it is looked at
  EXPECT_EQ(exported_symbol(object, "gnu_get_libc_version"), 0u);
}

}  // namespace
}  // namespace headrace::capture
