// How many different files a roll-up is about, also over processes that folded the same ones: a sketch of their names,
// HyperLogLog (Flajolet, Fusy, Gandouet, Meunier: "HyperLogLog", AofA 2007). Sketches are text, so that they are a
// property of the roll-up's record like any other; the sketch of two sets together has of each slot the greater letter.
#pragma once
#include <cstdint>
#include <string_view>

namespace headrace::model {

struct DistinctNames {
  static constexpr char kKey[] = "folded_names";  // of the property
  static constexpr uint32_t kSlotBits = 11, kSlots = 1u << kSlotBits, kMostLeading = 64 - kSlotBits + 1;
  static constexpr char kEmpty = '0';  // the letter of a slot that no name has met; others follow it

  /// `slots` has kSlots letters; `id` is a hash all of whose bits are good. Any thread, signal handlers; one at a time.
  static void add(char* slots, uint64_t id) {
    const uint64_t rest = id << kSlotBits | uint64_t{1} << (kSlotBits - 1);  // a bit that ends the row of zeros
    const auto letter = static_cast<char>(kEmpty + 1 + __builtin_clzll(rest));
    char& slot = slots[id >> (64 - kSlotBits)];
    if (slot < letter) slot = letter;
  }

  /// Adds another sketch to `slots`. False: it is none, and nothing was added.
  static bool unite(char* slots, std::string_view other);

  /// By O. Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017), algorithm 6: without bias for
  /// few and many; standard error 1.04 / sqrt(kSlots), that is 2.3 %. `slots` is a sketch.
  static double estimate(std::string_view slots);
};

}  // namespace headrace::model
