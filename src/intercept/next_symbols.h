// Symbols of the libraries behind this one in the program's search order, looked up in their own memory: at the first
// call, since dlsym could not be asked then, and since most processes call few of the functions.
#pragma once
#include <link.h>

#include <cstdint>

namespace headrace::intercept {

/// Of one loaded library.
class SymbolTable {
 public:
  constexpr SymbolTable() = default;
  explicit SymbolTable(const link_map& map);

  /// Whether it has what linkers make unless they are told otherwise.
  bool usable() const { return buckets_ != 0; }
  /// The definition that a program linked now would get. Null: it has none, or one that the loader has to choose.
  const ElfW(Sym) * find(const char* name, uint32_t hash) const;
  void* address_of(const ElfW(Sym) & symbol) const { return reinterpret_cast<void*>(base_ + symbol.st_value); }

 private:
  bool is_default(uint32_t index) const;

  uintptr_t base_ = 0;
  const ElfW(Sym) * symbols_ = nullptr;
  const char* names_ = nullptr;
  const ElfW(Half) * versions_ = nullptr;
  const ElfW(Addr) * filter_ = nullptr;
  const uint32_t *heads_ = nullptr, *chains_ = nullptr;
  uint32_t buckets_ = 0, first_ = 0, words_ = 0, shift_ = 0;
};

/// The libraries between this one and the C library, that included. They stay to the end.
class NextSymbols {
 public:
  /// Called by the library's constructor. Until then, and where the libraries are too many, nothing is found.
  void prepare();
  /// What dlsym(RTLD_NEXT, name) gives; null: only the loader can tell. Async-signal-safe.
  void* find(const char* name) const;
  /// Null also where the C library has it.
  void* find_before_libc(const char* name) const;

 private:
  void* find_in(uint32_t first_tables, const char* name) const;
  static constexpr uint32_t kMost = 16;
  SymbolTable tables_[kMost]{};
  uint32_t count_ = 0;
};
/// This library as the loader has it; null: it is not in its list.
const link_map* own_map();

}  // namespace headrace::intercept
