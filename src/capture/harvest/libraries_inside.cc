#include "capture/harvest/libraries_inside.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "capture/harvest/elf_file.h"

namespace headrace::capture {
namespace {

using namespace std::literals;

constexpr size_t kMostPrograms = 1024;

struct Marks {
  LibraryInside library;
  std::string_view function;                // that is defined where the library is linked in
  std::vector<std::string_view> constants;  // one of them is among its constants
};
constexpr char kBelow[] = "what it does shows as the system's calls alone";
const Marks kLibraries[] = {
    {{"HDF5", "hdf5", kBelow}, "H5Fopen\0"sv, {"\0H5F_open\0"sv}},
    {{"PnetCDF", "pnetcdf", kBelow}, "ncmpi_open\0"sv, {"\0ncmpio_open\0"sv}},
    {{"MPI", "mpi", kBelow}, "PMPI_Init\0"sv, {"Open MPI v"sv, "MPICH Version:"sv}},
};
constexpr LibraryInside kRings{"io_uring", "io_uring_",
                               "if the program uses it, what is read and written so is in no figure"};

std::string_view as_text(const std::vector<char>& bytes) { return {bytes.data(), bytes.size()}; }

std::string_view name_at(std::string_view names, uint64_t at, size_t length) {
  return at > names.size() ? std::string_view() : names.substr(at, length);
}

/// Of a table of symbols: whether it defines a function of this name.
bool defines(const std::vector<Elf64_Sym>& symbols, std::string_view names, std::string_view function) {
  if (names.find(function) == std::string_view::npos) return false;
  return std::any_of(symbols.begin(), symbols.end(), [&](const Elf64_Sym& symbol) {
    return symbol.st_shndx != SHN_UNDEF && name_at(names, symbol.st_name, function.size()) == function;
  });
}

template <typename Has>
std::vector<LibraryInside> those(Has has) {
  std::vector<LibraryInside> found;
  for (const Marks& marks : kLibraries)
    if (has(marks)) found.push_back(marks.library);
  return found;
}

/// The contents of the section of constants.
std::vector<char> constants_of(const ElfFile& file) {
  std::vector<char> names, constants;
  const std::vector<Elf64_Shdr>& sections = file.sections();
  for (const Elf64_Shdr& section : sections) {
    const bool has_names = section.sh_type == SHT_STRTAB && file.read_all(section.sh_offset, section.sh_size, names);
    if (!has_names || as_text(names).find("\0.rodata\0"sv) == std::string_view::npos) continue;
    for (const Elf64_Shdr& each : sections)
      if (each.sh_type == SHT_PROGBITS && name_at(as_text(names), each.sh_name, 8) == ".rodata\0"sv &&
          file.read_all(each.sh_offset, each.sh_size, constants))
        return constants;
  }
  return {};
}

/// Whether code for x86-64 loads the number of io_uring_enter and calls the kernel soon after, as liburing does.
bool enters_rings(std::string_view code) {
  constexpr auto kNumber = "\xb8\xaa\x01\0\0"sv, kCall = "\x0f\x05"sv;
  constexpr size_t kSoon = 32;
  for (size_t at = code.find(kNumber); at != std::string_view::npos; at = code.find(kNumber, at + 1))
    if (code.substr(at + kNumber.size(), kSoon).find(kCall) != std::string_view::npos) return true;
  return false;
}

bool enters_rings(const ElfFile& file) {
  constexpr uint64_t kMostCode = 16 << 20;  // of larger ones looking takes longer than many a job
  std::vector<char> code;
  return std::any_of(file.sections().begin(), file.sections().end(), [&](const Elf64_Shdr& section) {
    return section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_size <= kMostCode &&
           file.read_all(section.sh_offset, section.sh_size, code) && enters_rings(as_text(code));
  });
}

std::vector<LibraryInside> look_into(const ElfFile& file) {
  const std::vector<Elf64_Shdr>& sections = file.sections();
  std::vector<Elf64_Sym> symbols;
  std::vector<char> names;
  for (const Elf64_Shdr& section : sections)
    if (section.sh_type == SHT_SYMTAB && section.sh_link < sections.size() && section.sh_entsize == sizeof(Elf64_Sym) &&
        file.read_all(section.sh_offset, section.sh_size, symbols) &&
        file.read_all(sections[section.sh_link].sh_offset, sections[section.sh_link].sh_size, names))
      return those([&](const Marks& marks) { return defines(symbols, as_text(names), marks.function); });
  const std::vector<char> constants = constants_of(file);
  return those([&](const Marks& marks) {
    return std::any_of(marks.constants.begin(), marks.constants.end(),
                       [&](std::string_view text) { return as_text(constants).find(text) != std::string_view::npos; });
  });
}

}  // namespace

const std::vector<LibraryInside>& libraries_inside(const std::string& executable) {
  static std::map<std::string, std::vector<LibraryInside>> programs;
  if (programs.size() >= kMostPrograms && programs.count(executable) == 0) programs.clear();
  const auto [place, added] = programs.try_emplace(executable);
  if (added) {
    const ElfFile file(executable);
    place->second = look_into(file);
    if (enters_rings(file)) place->second.push_back(kRings);
  }
  return place->second;
}

bool has_rings_inside(const std::string& library) {
  static std::map<std::string, bool> libraries;
  if (library.find("/liburing.so") != std::string::npos) return false;
  if (libraries.size() >= kMostPrograms && libraries.count(library) == 0) libraries.clear();
  const auto [place, added] = libraries.try_emplace(library, false);
  if (added) place->second = enters_rings(ElfFile(library));
  return place->second;
}

}  // namespace headrace::capture
