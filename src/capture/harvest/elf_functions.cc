#include "capture/harvest/elf_functions.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <vector>

#include "base/hexadecimal.h"
#include "capture/harvest/elf_file.h"
#include "capture/harvest/readable_name.h"

namespace headrace::capture {
namespace {

constexpr size_t kMostObjects = 64;

struct Function {
  uint64_t address, size;
  uint32_t name;  // place in the names
};

struct Functions {
  std::string build_id;        // hexadecimal
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
void take(const ElfFile& file, const Elf64_Shdr& symbols, const Elf64_Shdr& names, Functions& to) {
  std::vector<Elf64_Sym> table;
  Functions found;
  if (symbols.sh_entsize != sizeof(Elf64_Sym) || !file.read_all(symbols.sh_offset, symbols.sh_size, table) ||
      !file.read_all(names.sh_offset, names.sh_size, found.names))
    return;
  for (const Elf64_Sym& symbol : table) {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if ((type == STT_FUNC || type == STT_GNU_IFUNC) && symbol.st_shndx != SHN_UNDEF)
      found.list.push_back({symbol.st_value, symbol.st_size, symbol.st_name});
  }
  std::stable_sort(found.list.begin(), found.list.end(),
                   [](const Function& one, const Function& other) { return one.address < other.address; });
  to.list = std::move(found.list);
  to.names = std::move(found.names);
}

/// The build id that a section of notes has; "" where there is none.
std::string build_id_in(const ElfFile& file, const Elf64_Shdr& notes) {
  constexpr uint64_t kMostNotes = 64 << 10;
  std::vector<uint8_t> bytes;
  if (notes.sh_size > kMostNotes || !file.read_all(notes.sh_offset, notes.sh_size, bytes)) return "";
  for (uint64_t at = 0; bytes.size() - at >= sizeof(Elf64_Nhdr) + 4;) {
    Elf64_Nhdr note;
    memcpy(&note, bytes.data() + at, sizeof note);
    const uint64_t id = at + sizeof note + ((uint64_t{note.n_namesz} + 3) & ~uint64_t{3});
    const uint64_t end = id + ((uint64_t{note.n_descsz} + 3) & ~uint64_t{3});
    if (end > bytes.size()) return "";
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(bytes.data() + at + sizeof note, "GNU", 4) == 0)
      return base::hexadecimal(bytes.data() + id, note.n_descsz);
    at = end;
  }
  return "";
}

/// Of the tables of symbols the whole one, or, in a stripped file, that of what is exported: the first of its kind.
Functions read_functions(const std::string& path) {
  Functions functions;
  const ElfFile file(path);
  const std::vector<Elf64_Shdr>& sections = file.sections();
  const auto first = [&](uint32_t type) {
    return std::find_if(sections.begin(), sections.end(), [&](const Elf64_Shdr& each) { return each.sh_type == type; });
  };
  for (const uint32_t type : {uint32_t{SHT_SYMTAB}, uint32_t{SHT_DYNSYM}})
    if (const auto found = first(type);
        functions.list.empty() && found != sections.end() && found->sh_link < sections.size())
      take(file, *found, sections[found->sh_link], functions);
  constexpr int kMostSections = 64;  // of notes
  int looked = 0;
  for (const Elf64_Shdr& section : sections)
    if (section.sh_type == SHT_NOTE && functions.build_id.empty() && looked++ < kMostSections)
      functions.build_id = build_id_in(file, section);
  return functions;
}

}  // namespace

std::string function_at(const std::string& path, const std::string& build_id, uint64_t address) {
  static std::map<std::string, Functions> files;
  if (files.size() >= kMostObjects && files.count(path) == 0) files.clear();
  const auto [place, added] = files.try_emplace(path);
  if (added) place->second = read_functions(path);
  // A name without its directory may be another file's here, and any file may have been built anew since.
  const bool same = place->second.build_id == build_id && (!build_id.empty() || path.starts_with('/'));
  const std::string_view name = same ? place->second.at(address) : std::string_view();
  return name.empty() ? std::string() : readable_name(std::string(name));
}

}  // namespace headrace::capture
