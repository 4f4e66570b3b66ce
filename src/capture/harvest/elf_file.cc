#include "capture/harvest/elf_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

namespace headrace::capture {

ElfFile::ElfFile(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat found{};
  if (descriptor_ >= 0 && fstat(descriptor_, &found) == 0 && S_ISREG(found.st_mode))
    size_ = static_cast<uint64_t>(found.st_size);
  Elf64_Ehdr header;
  if (!read(0, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr) ||
      !read_all(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr), sections_))
    sections_.clear();
}

ElfFile::~ElfFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool ElfFile::read(uint64_t at, void* to, uint64_t bytes) const {
  if (at > size_ || bytes > size_ - at) return false;
  for (uint64_t done = 0; done < bytes;) {
    const ssize_t more = pread(descriptor_, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(at + done));
    if (more <= 0) return false;
    done += static_cast<uint64_t>(more);
  }
  return true;
}

}  // namespace headrace::capture
