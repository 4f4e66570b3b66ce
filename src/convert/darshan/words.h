#pragma once
// Numbers of a block that was read, in the byte order of the log. The caller knows that they lie inside it.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace headrace::convert::darshan {

class Words {
 public:
  Words(const uint8_t* at, bool swap) : at_(at), swap_(swap) {}
  uint64_t u64() {
    const auto value = base::load<uint64_t>(at_);
    at_ += sizeof value;
    return swap_ ? __builtin_bswap64(value) : value;
  }
  int64_t i64() { return static_cast<int64_t>(u64()); }
  double f64() { return std::bit_cast<double>(u64()); }
  std::string_view text(size_t most) {
    const std::string_view text(reinterpret_cast<const char*>(at_), most);
    at_ += most;
    return text.substr(0, std::min(text.find('\0'), text.size()));
  }

 private:
  const uint8_t* at_;
  bool swap_;
};

}  // namespace headrace::convert::darshan
