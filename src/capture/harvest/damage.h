// What could not be used of a spool: the first few places in words, all of them counted.
#pragma once
#include <cstdint>
#include <string>

namespace headrace::capture {

class DamageList {
 public:
  /// `what` was expected at `offset` and is not there.
  void add(const char* what, uint64_t offset) {
    if (++places_ > kWords) return;
    if (!text_.empty()) text_ += "; ";
    text_ += std::string(what) + " at offset " + std::to_string(offset);
  }

  uint64_t places() const { return places_; }
  std::string text() const { return places_ > kWords ? text_ + "; …" : text_; }

 private:
  static constexpr uint64_t kWords = 4;
  uint64_t places_ = 0;
  std::string text_;
};

}  // namespace headrace::capture
