// Regions that are open so deep that there is no memory for the place of each (OpenRegions): how many of each there
// are, so that the end of an outer one is not taken for that of one of them. Of one thread; plain memory, zero: none.
#pragma once
#include <cstdint>

namespace headrace::capture {

class BeyondRegions {
 public:
  void clear() { *this = {}; }

  void enter(uint32_t number) {
    if (Of* of = find(number))
      of->count++;
    else if (Of* free = find(0))
      *free = {number, 1};
    else
      others_++;
  }

  /// One of them ends; 0: any. False: none of them is of this number.
  bool leave(uint32_t number) {
    Of* of = number != 0 ? find(number) : first();
    if (!of) return others_ != 0 && others_-- != 0;  // it may be one of these
    if (--of->count == 0) of->number = 0;
    return true;
  }

  /// Whether one that may be among them is of a number that `is` true of.
  template <typename Is>
  bool any(Is is) const {
    for (const Of& of : of_)
      if (of.number != 0 && is(of.number)) return true;
    return false;
  }

 private:
  struct Of {
    uint32_t number, count;
  };
  static constexpr uint32_t kNumbers = 8;  // recursion that deep is of few functions

  Of* find(uint32_t number) {
    for (Of& of : of_)
      if (of.number == number) return &of;
    return nullptr;
  }
  Of* first() {
    for (Of& of : of_)
      if (of.number != 0) return &of;
    return nullptr;
  }

  Of of_[kNumbers];
  uint32_t others_;
};

}  // namespace headrace::capture
