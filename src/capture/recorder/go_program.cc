#include "capture/recorder/go_program.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include <cstdint>

#include "base/start_code.h"

namespace headrace::capture {
namespace {

constexpr char kName[] = "Go";
constexpr uint32_t kBuildId = 4;

bool has_build_id(const char* notes, size_t size) {
  for (size_t at = 0; at + sizeof(ElfW(Nhdr)) + sizeof kName <= size;) {
    ElfW(Nhdr) note;
    memcpy(&note, notes + at, sizeof note);
    at += sizeof note;
    if (note.n_type == kBuildId && note.n_namesz >= sizeof kName && note.n_namesz <= sizeof kName + 1 &&
        memcmp(notes + at, kName, sizeof kName) == 0)
      return true;
    at += (size_t{note.n_namesz} + 3) / 4 * 4 + (size_t{note.n_descsz} + 3) / 4 * 4;
  }
  return false;
}

/// From the addresses of the file to those of memory.
uintptr_t program_moved_by(const ElfW(Phdr) * headers, size_t count) {
  const auto begin = reinterpret_cast<uintptr_t>(headers);
  for (size_t i = 0; i < count; ++i)
    if (headers[i].p_type == PT_PHDR) return begin - headers[i].p_vaddr;
  // Static programs do not say where the headers lie, but they can be moved: they are behind the file's own header.
  for (size_t i = 0; i < count; ++i)
    if (headers[i].p_type == PT_LOAD && headers[i].p_offset == 0)
      return begin - sizeof(ElfW(Ehdr)) - headers[i].p_vaddr;
  return 0;
}

}  // namespace

HEADRACE_AT_START bool is_go_program() {
  const auto* headers = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
  const size_t count = headers ? getauxval(AT_PHNUM) : 0;
  const uintptr_t moved_by = program_moved_by(headers, count);
  for (size_t i = 0; i < count; ++i)
    if (headers[i].p_type == PT_NOTE &&
        has_build_id(reinterpret_cast<const char*>(moved_by + headers[i].p_vaddr), headers[i].p_memsz))
      return true;
  return false;
}

}  // namespace headrace::capture
