#include "capture/recorder/elf_symbols.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "capture/recorder/readable.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kLongestChain = 4096;  // symbols of one bucket: of a damaged table there is an end, too

/// An object's memory: what lies outside it, or is not readable, is not there.
struct Image {
  const LoadedObject& object;
  Readable memory;

  template <typename T>
  bool load(uintptr_t at, T* out) {
    if (at < object.start || at > object.end || object.end - at < sizeof(T) || !memory.covers(at, sizeof(T)))
      return false;
    memcpy(out, reinterpret_cast<const void*>(at), sizeof(T));
    return true;
  }
  bool is_text(uintptr_t at, const char* text) {
    const size_t bytes = strlen(text) + 1;
    return at >= object.start && at < object.end && object.end - at >= bytes && memory.covers(at, bytes) &&
           memcmp(reinterpret_cast<const void*>(at), text, bytes) == 0;
  }
};

struct Tables {
  uintptr_t hash = 0, symbols = 0, names = 0;
};

bool find_tables(Image& image, uintptr_t dynamic, Tables* out) {
  const LoadedObject& object = image.object;
  // The loader makes addresses of most of them, but not where the section cannot be written.
  const auto address = [&](uintptr_t value) { return value < object.start ? value + object.bias : value; };
  for (ElfW(Dyn) entry; image.load(dynamic, &entry) && entry.d_tag != DT_NULL; dynamic += sizeof entry) {
    if (entry.d_tag == DT_GNU_HASH) out->hash = address(entry.d_un.d_ptr);
    if (entry.d_tag == DT_SYMTAB) out->symbols = address(entry.d_un.d_ptr);
    if (entry.d_tag == DT_STRTAB) out->names = address(entry.d_un.d_ptr);
  }
  return out->hash && out->symbols && out->names;
}

bool find_tables(Image& image, Tables* out) {
  const LoadedObject& object = image.object;
  ElfW(Ehdr) header;
  if (!image.load(object.start, &header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_phentsize != sizeof(ElfW(Phdr)))
    return false;
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    if (!image.load(object.start + header.e_phoff + i * sizeof segment, &segment)) return false;
    if (segment.p_type == PT_DYNAMIC) return find_tables(image, object.bias + segment.p_vaddr, out);
  }
  return false;
}

/// The symbol's address if it is the one of that name; 0 when it is not.
uintptr_t address_of(Image& image, const Tables& tables, uint32_t index, const char* name) {
  ElfW(Sym) symbol;
  if (!image.load(tables.symbols + index * sizeof symbol, &symbol) || symbol.st_shndx == SHN_UNDEF) return 0;
  const unsigned type = symbol.st_info & 0xf;
  if ((type != STT_FUNC && type != STT_OBJECT) || !image.is_text(tables.names + symbol.st_name, name)) return 0;
  const uintptr_t address = image.object.bias + symbol.st_value;
  return address >= image.object.start && address < image.object.end ? address : 0;
}

}  // namespace

uintptr_t exported_symbol(const LoadedObject& object, const char* name) {
  Image image{object, is_permanent(object) ? Readable::lasting() : Readable()};
  Tables tables;
  struct {
    uint32_t buckets, first, words, shift;
  } sizes;
  if (!find_tables(image, &tables) || !image.load(tables.hash, &sizes) || !sizes.buckets || !sizes.words) return 0;
  uint32_t hash = 5381;
  for (const char* c = name; *c; ++c) hash = hash * 33 + static_cast<unsigned char>(*c);
  const uintptr_t filter = tables.hash + sizeof sizes, buckets = filter + uintptr_t{sizes.words} * 8,
                  chains = buckets + uintptr_t{sizes.buckets} * 4;
  uint64_t word;  // tells of most names that are not there
  if (!image.load(filter + hash / 64 % sizes.words * 8, &word)) return 0;
  if (!(word >> (hash % 64) & 1) || !(word >> ((hash >> (sizes.shift & 31)) % 64) & 1)) return 0;
  uint32_t index, found;
  if (!image.load(buckets + hash % sizes.buckets * 4, &index) || index < sizes.first) return 0;
  for (uint32_t steps = 0; steps < kLongestChain; ++steps, ++index) {
    if (!image.load(chains + uintptr_t{index - sizes.first} * 4, &found)) return 0;
    if ((found | 1) == (hash | 1))
      if (const uintptr_t address = address_of(image, tables, index, name)) return address;
    if (found & 1) break;
  }
  return 0;
}

}  // namespace headrace::capture
