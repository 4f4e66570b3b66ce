// For tests: makes the bytes of small programs that have nothing but names of functions.
#pragma once
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace headrace::capture {

struct ElfFunction {
  std::string name;
  uint64_t address = 0, size = 0;
};

/// A header, the parts and their table: none, symbols, names, notes.
struct ElfBuilder {
  std::vector<uint8_t> bytes;
  Elf64_Ehdr header = {};
  std::vector<Elf64_Shdr> sections{Elf64_Shdr{}};

  ElfBuilder(const std::vector<ElfFunction>& functions, const std::vector<uint8_t>& build_id) {
    bytes.resize(sizeof header);
    std::vector<Elf64_Sym> symbols{Elf64_Sym{}};
    std::string names(1, '\0');
    for (const ElfFunction& each : functions) {
      symbols.push_back(
          {static_cast<uint32_t>(names.size()), ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, 1, each.address, each.size});
      names += each.name + '\0';
    }
    const Elf64_Nhdr note{4, static_cast<uint32_t>(build_id.size()), NT_GNU_BUILD_ID};
    std::string notes(reinterpret_cast<const char*>(&note), sizeof note);
    notes += std::string("GNU\0", 4) + std::string(build_id.begin(), build_id.end());
    notes.resize((notes.size() + 3) & ~size_t{3});
    add(SHT_SYMTAB, symbols.data(), symbols.size() * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
    add(SHT_STRTAB, names.data(), names.size(), 0);
    if (!build_id.empty()) add(SHT_NOTE, notes.data(), notes.size(), 0);
    sections[1].sh_link = 2;
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<uint16_t>(sections.size());
    header.e_shoff = bytes.size();
  }

  std::vector<uint8_t> whole() const {
    std::vector<uint8_t> file = bytes;
    memcpy(file.data(), &header, sizeof header);
    const auto* begin = reinterpret_cast<const uint8_t*>(sections.data());
    file.insert(file.end(), begin, begin + sections.size() * sizeof(Elf64_Shdr));
    return file;
  }

 private:
  void add(uint32_t type, const void* data, size_t size, uint64_t entry) {
    Elf64_Shdr section = {};
    section.sh_type = type;
    section.sh_offset = bytes.size();
    section.sh_size = size;
    section.sh_entsize = entry;
    sections.push_back(section);
    const auto* begin = static_cast<const uint8_t*>(data);
    bytes.insert(bytes.end(), begin, begin + size);
  }
};

}  // namespace headrace::capture
