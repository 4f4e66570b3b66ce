#pragma once
// The header of a Darshan log: where in the file which module's records lie. Formats 3.00 to 3.41, both byte orders.

#include <array>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "convert/darshan/layout.h"

namespace headrace::convert::darshan {

inline constexpr uint64_t kMagic = 6567223;
inline constexpr size_t kHeaderBytes = 1328, kOldHeaderBytes = 360;
inline constexpr size_t kJobBytes = 4096;  // of the job record, before compression

enum class Compression : uint8_t { kZlib, kBzip2, kNone };

struct Region {
  uint64_t offset = 0, length = 0;
};

struct Header {
  std::string version;  // "3.41"
  unsigned minor = 0;   // 0, 10, 20, 21 or 41
  bool swap = false;    // the numbers are in the other byte order
  Compression compression = Compression::kZlib;
  uint64_t partial = 0;  // bit m: module m ran out of memory
  Region job, names;
  std::array<Region, kModules> modules;  // numbered as in format 3.41
  std::array<uint32_t, kModules> versions{};
};

/// Whether these are the first bytes (16 at least) of a Darshan log of any version.
bool is_darshan(base::Bytes beginning);

/// `beginning`: the first kHeaderBytes of the file, or all when it has fewer. `size`: of the whole file. Regions that
/// do not lie inside the file are left as they are. Messages begin with `label`.
base::Result<Header> parse_header(base::Bytes beginning, uint64_t size, const std::string& label);

}  // namespace headrace::convert::darshan
