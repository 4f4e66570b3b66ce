#include "capture/harvest/elf_functions.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <vector>

namespace headrace::capture {
namespace {

constexpr uint64_t kLargestTable = uint64_t{1} << 30;  // bytes
constexpr size_t kMostFiles = 64;

class File {
 public:
  explicit File(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat found{};
    if (descriptor_ >= 0 && fstat(descriptor_, &found) == 0 && S_ISREG(found.st_mode))
      size_ = static_cast<uint64_t>(found.st_size);
  }
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool read(uint64_t at, void* to, uint64_t bytes) const {
    if (at > size_ || bytes > size_ - at) return false;
    for (uint64_t done = 0; done < bytes;) {
      const ssize_t more =
          pread(descriptor_, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(at + done));
      if (more <= 0) return false;
      done += static_cast<uint64_t>(more);
    }
    return true;
  }
  template <typename T>
  bool read_all(uint64_t at, uint64_t bytes, std::vector<T>& to) const {
    if (bytes > kLargestTable || at > size_ || bytes > size_ - at) return false;
    to.resize(bytes / sizeof(T));
    return read(at, to.data(), to.size() * sizeof(T));
  }

 private:
  int descriptor_;
  uint64_t size_ = 0;
};

struct Function {
  uint64_t address, size;
  uint32_t name;  // place in the names
};

struct Functions {
  std::vector<Function> list;  // by address
  std::vector<char> names;

  std::string_view name_of(const Function& function) const {
    if (function.name >= names.size()) return {};
    const char* begin = names.data() + function.name;
    return {begin, strnlen(begin, names.size() - function.name)};
  }

  std::string_view at(uint64_t address) const {
    const auto after = std::upper_bound(list.begin(), list.end(), address,
                                        [](uint64_t place, const Function& each) { return place < each.address; });
    if (after == list.begin()) return {};
    const Function& found = *(after - 1);
    return address == found.address || address - found.address < found.size ? name_of(found) : std::string_view();
  }
};

/// Those of one table of symbols, if it is one.
void take(const File& file, const Elf64_Shdr& symbols, const Elf64_Shdr& names, Functions& to) {
  std::vector<Elf64_Sym> table;
  Functions found;
  if (!file.read_all(symbols.sh_offset, symbols.sh_size, table)) return;
  if (!file.read_all(names.sh_offset, names.sh_size, found.names)) return;
  for (const Elf64_Sym& symbol : table) {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF)
      found.list.push_back({symbol.st_value, symbol.st_size, symbol.st_name});
  }
  if (found.list.size() < to.list.size()) return;  // the table of what is exported is a part of the other one
  std::stable_sort(found.list.begin(), found.list.end(),
                   [](const Function& one, const Function& other) { return one.address < other.address; });
  to = std::move(found);
}

Functions read_functions(const std::string& path) {
  Functions functions;
  const File file(path);
  Elf64_Ehdr header;
  std::vector<Elf64_Shdr> sections;
  if (!file.read(0, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr) ||
      !file.read_all(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr), sections))
    return functions;
  for (const Elf64_Shdr& section : sections)
    if ((section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) && section.sh_link < sections.size())
      take(file, section, sections[section.sh_link], functions);
  return functions;
}

/// As the source has it, where the compiler made a name of C++ unreadable.
std::string readable(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = text != nullptr && status == 0 ? text : name;
  std::free(text);
  return result;
}

}  // namespace

std::string function_at(const std::string& path, uint64_t address) {
  static std::map<std::string, Functions> files;
  if (files.size() >= kMostFiles && files.count(path) == 0) files.clear();
  const auto [place, added] = files.try_emplace(path);
  if (added) place->second = read_functions(path);
  const std::string_view name = place->second.at(address);
  return name.empty() ? std::string() : readable(std::string(name));
}

}  // namespace headrace::capture
