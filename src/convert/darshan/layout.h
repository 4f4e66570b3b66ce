#pragma once
// What Darshan's modules are called and how their records look in each version of a log. Constants only.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace headrace::convert::darshan {

/// Numbers of modules in a header of format 3.41; older headers lack some and are renumbered when they are read.
enum class Module : uint8_t {
  kNull,
  kPosix,
  kMpiio,
  kH5f,
  kH5d,
  kPnetcdfFile,
  kPnetcdfVar,
  kBgq,
  kLustre,
  kStdio,
  kDxtPosix,
  kDxtMpiio,
  kMdhim,
  kApxc,
  kApmpi,
  kHeatmap,
  kDfs,
  kDaos,
};
inline constexpr size_t kModules = 64;  // places in a header

/// As Darshan calls it; "module 23" has no name yet and gives an empty text.
std::string_view module_name(size_t number);

namespace count {
#define COUNT(module, name) module##_##name,
#define REAL(module, name)
enum All : uint16_t {
#include "convert/darshan/counters.def"
};
#undef COUNT
#undef REAL
}  // namespace count
namespace real {
#define COUNT(module, name)
#define REAL(module, name) module##_##name,
enum All : uint16_t {
#include "convert/darshan/counters.def"
};
#undef COUNT
#undef REAL
}  // namespace real

/// A module whose records are an id, a rank, perhaps the id of a file, integers and doubles.
struct Layout {
  Module module;
  std::string_view table;                           // of a job log, with every counter as Darshan has it
  uint32_t newest;                                  // version of the records that this describes
  bool has_file;                                    // the id of the file follows the rank
  uint16_t first_count, counts, first_real, reals;  // in the lists of all counters
  size_t record_bytes() const { return 16 + (has_file ? 8 : 0) + size_t{8} * (counts + reals); }
};
/// Null: records of another kind.
const Layout* layout_of(Module module);
std::span<const Layout> layouts();

std::string_view count_name(size_t number);  // of all counters
std::string_view real_name(size_t number);

/// A record of any version in the shape of the newest; what the version did not have yet is -1.
struct Record {
  static constexpr size_t kMost = 120;
  uint64_t id = 0, file = 0;
  int64_t rank = 0;
  std::array<int64_t, kMost> counts;
  std::array<double, 17> reals;
};

/// Bytes of a record of this version; 0: no such version is known.
size_t stored_bytes(const Layout& layout, uint32_t version);
/// `bytes` has stored_bytes(); `swap`: they are in the other byte order. False: a record of POSIX version 1 that
/// counts calls on streams too, which nobody can tell apart.
bool decode(const Layout& layout, uint32_t version, const uint8_t* bytes, bool swap, Record& record);

}  // namespace headrace::convert::darshan
