#include "capture/recorder/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <initializer_list>

#include "base/kernel.h"
#include "base/start_code.h"
#include "capture/recorder/environment.h"
#include "capture/recorder/settings.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/update.h"

namespace headrace::capture {
namespace {

#if __SIZEOF_POINTER__ == 8
using ElfHeader = Elf64_Ehdr;
using ProgramHeader = Elf64_Phdr;
using ElfNote = Elf64_Nhdr;
constexpr unsigned char kClass = ELFCLASS64;
#else
using ElfHeader = Elf32_Ehdr;
using ProgramHeader = Elf32_Phdr;
using ElfNote = Elf32_Nhdr;
constexpr unsigned char kClass = ELFCLASS32;
#endif
#if defined(__x86_64__)
constexpr unsigned kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kMachine = EM_AARCH64;
#else
constexpr unsigned kMachine = EM_NONE;
#endif
constexpr int kMaximumScripts = 5;  // as the kernel

/// What a program and capture need at least.
struct Least {
  int limit;
  uint64_t bytes;
};
constexpr uint64_t kLeastData = 4 << 20, kLeastAddresses = 32 << 20;

long read_at(long fd, void* buffer, size_t size, uint64_t offset) {
  return base::kernel_call(SYS_pread64, fd, buffer, size, offset);
}

bool gains_privileges(long fd, const struct stat& attributes) {
  auto user = static_cast<uid_t>(base::kernel_call(SYS_getuid));
  char capabilities[64];
  if (user != 0 && base::kernel_call(SYS_fgetxattr, fd, "security.capability", capabilities, sizeof capabilities) > 0)
    return true;
  auto group = static_cast<gid_t>(base::kernel_call(SYS_getgid));
  if ((attributes.st_mode & S_ISUID) && attributes.st_uid != user) return true;
  return (attributes.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && attributes.st_gid != group;
}

/// Whether a note of a static program says that it was linked with the recorder (programs/preload/static_real.cc), or
/// hands on what it finds in its environment (programs/headrace/main.cc).
bool captures_itself(long fd, const ProgramHeader& program) {
  alignas(4) char notes[1024];
  const size_t size = program.p_filesz < sizeof notes ? program.p_filesz : sizeof notes;
  const long length = read_at(fd, notes, size, program.p_offset);
  for (long at = 0; at + static_cast<long>(sizeof(ElfNote)) <= length;) {
    ElfNote note;
    memcpy(&note, notes + at, sizeof note);
    at += static_cast<long>(sizeof note);
    if (note.n_namesz == sizeof "Headrace" && at + static_cast<long>(sizeof "Headrace") <= length &&
        memcmp(notes + at, "Headrace", sizeof "Headrace") == 0)
      return true;
    at += static_cast<long>((uint64_t{note.n_namesz} + 3) / 4 * 4 + (uint64_t{note.n_descsz} + 3) / 4 * 4);
  }
  return false;
}

/// glibc's loader, which loads the program that it is told. What that needs beside the library is not known here.
bool is_loader(const char* path) {
  const char* slash = strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  return strncmp(name, "ld-linux", 8) == 0 || strcmp(name, "ld.so") == 0;
}

/// The interpreter's path tells the C library; a program without one is static.
const char* reason_of_elf(long fd, const ElfHeader& header, const char* path) {
  if (header.e_ident[EI_CLASS] != kClass || header.e_machine != kMachine) return "other-class";
  bool fit = false;
  for (unsigned i = 0; i < header.e_phnum && i < 64; ++i) {
    ProgramHeader program;
    if (read_at(fd, &program, sizeof program, header.e_phoff + i * uint64_t{header.e_phentsize}) != sizeof program)
      return nullptr;
    fit |= program.p_type == PT_NOTE && captures_itself(fd, program);
    if (program.p_type != PT_INTERP) continue;
    char interpreter[128];
    size_t size = program.p_filesz < sizeof interpreter ? program.p_filesz : sizeof interpreter;
    long length = read_at(fd, interpreter, size, program.p_offset);
    if (length <= 0) return nullptr;
    interpreter[length < static_cast<long>(sizeof interpreter) ? length : static_cast<long>(sizeof interpreter) - 1] =
        0;
    return strstr(interpreter, "musl") ? "musl" : nullptr;
  }
  if (fit) return nullptr;
  return is_loader(path) ? "loader" : "static";
}

/// The program named by a "#!" line, in place; null when there is none.
char* interpreter_of(char* line, long length) {
  line[length] = 0;
  char* path = line + 2;
  path += strspn(path, " \t");
  path[strcspn(path, " \t\n")] = 0;
  return *path ? path : nullptr;
}

/// Whether the file of this library is gone since it was loaded: the kernel says so behind the mapping's path.
bool library_was_removed() {
  constexpr char kEnd[] = " (deleted)\n";
  const auto here = reinterpret_cast<uintptr_t>(&library_was_removed);
  const long fd =
      is_static() ? -1 : base::kernel_call(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return false;
  char text[512];
  uintptr_t bounds[2] = {};  // of the mapping in hand
  unsigned field = 0, matched = 0;
  bool found = false, removed = false;
  for (long length; !found && (length = base::kernel_call(SYS_read, fd, text, sizeof text)) > 0;) {
    for (long at = 0; at < length && !found; ++at) {
      const char c = text[at];
      if (field < 2) {
        const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
        if (digit) bounds[field] = bounds[field] * 16 + static_cast<uintptr_t>(c <= '9' ? c - '0' : c - 'a' + 10);
        field += !digit;
        continue;
      }
      matched = c == kEnd[matched] ? matched + 1 : c == kEnd[0];
      if (c != '\n') continue;
      found = bounds[0] <= here && here < bounds[1];
      removed = found && matched == sizeof kEnd - 1;
      bounds[0] = bounds[1] = field = matched = 0;
    }
  }
  base::kernel_call(SYS_close, fd);
  return removed;
}

/// Why no program started now could be captured. The loader complains of a library that it does not find, or for which
/// there is no memory.
const char* reason_around() {
  const char* library = preloaded_library();
  if (!*library) return nullptr;
  for (const auto& [limit, least] : {Least{RLIMIT_DATA, kLeastData}, Least{RLIMIT_AS, kLeastAddresses}}) {
    uint64_t limits[2];
    if (base::kernel_call(SYS_prlimit64, 0, limit, nullptr, limits) == 0 && limits[0] < least) return "limits";
  }
  long fd = base::kernel_call(SYS_openat, AT_FDCWD, library, O_RDONLY | O_CLOEXEC, 0);
  if (fd >= 0) base::kernel_call(SYS_close, fd);
  // Capabilities that a process kept when it became another user, an exec takes away; this question is without them.
  if (fd >= 0 && base::kernel_call(SYS_getuid) != 0) fd = base::kernel_call(SYS_faccessat, AT_FDCWD, library, R_OK);
  if ((fd == -ENOENT || fd == -ENOTDIR) && library_was_removed()) return "library-removed";
  if (fd == -ENOENT || fd == -EACCES || fd == -ENOTDIR) return "other-root";
  const char* place = Note::directory();
  const long access = *place ? base::kernel_call(SYS_faccessat, AT_FDCWD, place, W_OK | X_OK) : 0;
  if ((access == -ENOENT || access == -ENOTDIR) && !is_elsewhere(place)) return "no-records";
  return access == -EACCES && base::kernel_call(SYS_getuid) != 0 ? "other-user" : nullptr;
}

}  // namespace

Target target_at(int directory, const char* path) {
  union {
    ElfHeader elf;
    char text[257];
  } head;
  char script[257];
  Target target;
  for (int depth = 0; depth < kMaximumScripts; ++depth) {
    long fd = base::kernel_call(SYS_openat, directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0) break;
    struct stat attributes;
    bool regular =
        base::kernel_call(SYS_newfstatat, fd, "", &attributes, AT_EMPTY_PATH) == 0 && S_ISREG(attributes.st_mode);
    long length = regular ? read_at(fd, &head, sizeof head - 1, 0) : 0;
    bool is_elf = length >= static_cast<long>(sizeof(ElfHeader)) && memcmp(head.elf.e_ident, ELFMAG, SELFMAG) == 0;
    if (is_elf) target.unfit = gains_privileges(fd, attributes) ? "setuid" : reason_of_elf(fd, head.elf, path);
    if (is_elf && !target.unfit) find_sanitizer_runtime(fd, target.runtime);
    base::kernel_call(SYS_close, fd);
    if (is_elf || length < 3 || memcmp(head.text, "#!", 2) != 0) break;
    char* interpreter = interpreter_of(head.text, length);
    if (!interpreter) break;
    path = strcpy(script, interpreter);
    directory = AT_FDCWD;
  }
  if (!target.unfit) target.unfit = reason_around();
  return target;
}

HEADRACE_AT_START bool starts_ranks(const char* executable) {
  const char* slash = strrchr(executable, '/');
  const char* name = slash ? slash + 1 : executable;
  for (const char* begin : {"mpirun", "mpiexec"})
    if (strncmp(name, begin, strlen(begin)) == 0) return true;
  for (const char* each : {"orterun", "prterun", "prun", "srun"})
    if (strcmp(name, each) == 0) return true;
  return false;
}

const char* find_in_path(const char* file) {
  if (strchr(file, '/') || !*file || !self) return file;
  const char* list = environment_value("PATH");
  if (!list) list = "/bin:/usr/bin";
  char* out = self->path[1];
  const char* found = file;
  size_t name_length = strlen(file);
  for (const char* item = list;; ++item) {
    const char* end = strchrnul(item, ':');
    auto length = static_cast<size_t>(end - item);
    if (length + name_length + 2 < kPathMax) {
      memcpy(out, item, length);
      if (length) out[length++] = '/';
      memcpy(out + length, file, name_length + 1);
      struct stat attributes;
      if (base::kernel_call(SYS_newfstatat, AT_FDCWD, out, &attributes, 0) == 0 && S_ISREG(attributes.st_mode) &&
          (attributes.st_mode & 0111)) {
        found = out;
        break;
      }
    }
    if (!*end) break;
    item = end;
  }
  return found;
}

}  // namespace headrace::capture
