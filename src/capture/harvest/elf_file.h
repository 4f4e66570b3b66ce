// A program or library as a file of 64-bit ELF. Nothing in it is trusted.
#pragma once
#include <elf.h>

#include <cstdint>
#include <string>
#include <vector>

namespace headrace::capture {

class ElfFile {
 public:
  explicit ElfFile(const std::string& path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  /// None: it cannot be read, or is no such file.
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  /// False: the file has not that much.
  bool read(uint64_t at, void* to, uint64_t bytes) const;
  /// The same, of at most 256 MiB, in whole elements.
  template <typename T>
  bool read_all(uint64_t at, uint64_t bytes, std::vector<T>& to) const {
    if (bytes > kLargestTable || at > size_ || bytes > size_ - at) return false;
    to.resize(bytes / sizeof(T));
    return read(at, to.data(), to.size() * sizeof(T));
  }

 private:
  static constexpr uint64_t kLargestTable = uint64_t{256} << 20;

  int descriptor_;
  uint64_t size_ = 0;
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace headrace::capture
