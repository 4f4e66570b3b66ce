// Texts by number, packed one behind the other when the compiler runs.
//
// An array of pointers would do, but in a library that is loaded into other programs each pointer is written at the
// start of each process, and each page of them becomes memory of that process alone.
#pragma once
#include <cstddef>
#include <cstdint>

namespace headrace::base {

template <size_t kTexts, size_t kBytes>
class PackedNames {
 public:
  /// The text, with a zero behind it.
  constexpr const char* operator[](size_t number) const { return bytes_ + place_[number]; }
  static constexpr size_t size() { return kTexts; }

  constexpr explicit PackedNames(const char* const (&texts)[kTexts]) {
    size_t end = 0;
    for (size_t i = 0; i < kTexts; ++i) {
      if (i > 0 && is_same(texts[i], texts[i - 1])) {
        place_[i] = place_[i - 1];
        continue;
      }
      place_[i] = static_cast<uint16_t>(end);
      for (const char* c = texts[i]; *c; ++c) bytes_[end++] = *c;
      ++end;
    }
  }
  /// What the texts take; one that is the same as the text before it takes nothing.
  static constexpr size_t bytes_of(const char* const (&texts)[kTexts]) {
    size_t bytes = 0;
    for (size_t i = 0; i < kTexts; ++i) {
      if (i > 0 && is_same(texts[i], texts[i - 1])) continue;
      for (const char* c = texts[i]; *c; ++c) ++bytes;
      ++bytes;
    }
    return bytes;
  }

 private:
  static_assert(kBytes <= UINT16_MAX);
  static constexpr bool is_same(const char* a, const char* b) {
    while (*a && *a == *b) ++a, ++b;
    return *a == *b;
  }

  uint16_t place_[kTexts]{};
  char bytes_[kBytes]{};
};

/// Those of `List::kTexts`, which is used by the compiler alone.
template <typename List>
inline constexpr auto kPacked = [] {
  constexpr size_t kTexts = sizeof List::kTexts / sizeof *List::kTexts;
  using Of = PackedNames<kTexts, PackedNames<kTexts, 1>::bytes_of(List::kTexts)>;
  return Of(List::kTexts);
}();

}  // namespace headrace::base
