#include "convert/darshan/layout.h"

#include <bit>
#include <initializer_list>
#include <iterator>

#include "base/bytes.h"

namespace headrace::convert::darshan {
namespace {

constexpr std::string_view kNames[] = {"NULL",        "POSIX", "MPI-IO", "H5F",     "H5D",       "PNETCDF_FILE",
                                       "PNETCDF_VAR", "BG/Q",  "LUSTRE", "STDIO",   "DXT_POSIX", "DXT_MPIIO",
                                       "MDHIM",       "APXC",  "APMPI",  "HEATMAP", "DFS",       "DAOS"};

constexpr std::string_view kCountNames[] = {
#define COUNT(module, name) #module "_" #name,
#define REAL(module, name)
#include "convert/darshan/counters.def"
#undef COUNT
#undef REAL
};
constexpr std::string_view kRealNames[] = {
#define COUNT(module, name)
#define REAL(module, name) #module "_" #name,
#include "convert/darshan/counters.def"
#undef COUNT
#undef REAL
};

constexpr uint16_t kCounts = std::size(kCountNames), kReals = std::size(kRealNames);

using namespace count;
using namespace real;
#define FROM_TO(first, next, first_real, next_real) \
  first, static_cast<uint16_t>((next) - (first)), first_real, static_cast<uint16_t>((next_real) - (first_real))
constexpr Layout kLayouts[] = {
    {Module::kPosix, "darshan_posix", 4, false,
     FROM_TO(POSIX_OPENS, MPIIO_INDEP_OPENS, POSIX_F_OPEN_START_TIMESTAMP, MPIIO_F_OPEN_START_TIMESTAMP)},
    {Module::kMpiio, "darshan_mpiio", 3, false,
     FROM_TO(MPIIO_INDEP_OPENS, H5F_OPENS, MPIIO_F_OPEN_START_TIMESTAMP, H5F_F_OPEN_START_TIMESTAMP)},
    {Module::kH5f, "darshan_h5f", 3, false,
     FROM_TO(H5F_OPENS, H5D_OPENS, H5F_F_OPEN_START_TIMESTAMP, H5D_F_OPEN_START_TIMESTAMP)},
    {Module::kH5d, "darshan_h5d", 2, true,
     FROM_TO(H5D_OPENS, PNETCDF_FILE_CREATES, H5D_F_OPEN_START_TIMESTAMP, PNETCDF_FILE_F_OPEN_START_TIMESTAMP)},
    {Module::kPnetcdfFile, "darshan_pnetfile", 3, false,
     FROM_TO(PNETCDF_FILE_CREATES, PNETCDF_VAR_OPENS, PNETCDF_FILE_F_OPEN_START_TIMESTAMP,
             PNETCDF_VAR_F_OPEN_START_TIMESTAMP)},
    {Module::kPnetcdfVar, "darshan_pnetvar", 1, true,
     FROM_TO(PNETCDF_VAR_OPENS, STDIO_OPENS, PNETCDF_VAR_F_OPEN_START_TIMESTAMP, STDIO_F_META_TIME)},
    {Module::kStdio, "darshan_stdio", 2, false, FROM_TO(STDIO_OPENS, kCounts, STDIO_F_META_TIME, kReals)},
};
#undef FROM_TO

/// How an older version differs: what it lacks, as bits numbered as in the newest, and what it had besides.
struct Older {
  Module module;
  uint32_t version;
  uint32_t no_counts, no_reals;
  bool no_file;
  uint8_t extra_at, extra;  // so many counters that were dropped later, behind so many others
};

consteval uint32_t bits(std::initializer_list<int> numbers) {
  uint32_t all = 0;
  for (const int number : numbers) all |= 1u << number;
  return all;
}

constexpr Older kOlder[] = {
    {Module::kPosix, 1, bits({1, 2, 10, 11, 12}), bits({3, 4}), false, 6, 4},  // the four are of streams
    {Module::kPosix, 2, bits({1, 2, 10, 11, 12}), bits({3, 4}), false, 0, 0},
    {Module::kPosix, 3, bits({1, 2, 10, 11, 12}), 0, false, 0, 0},
    {Module::kMpiio, 1, 0, bits({3, 4}), false, 0, 0},
    {Module::kMpiio, 2, 0, bits({3, 4}), false, 0, 0},
    {Module::kH5f, 1, bits({1, 2}), bits({1, 2, 4}), false, 0, 0},
    {Module::kH5f, 2, bits({1, 2}), bits({4}), false, 0, 0},
    {Module::kH5d, 1, 0, 0, true, 0, 0},
    // Independent opens came before collective ones, which stand where the sum of both is now.
    {Module::kPnetcdfFile, 1, bits({0, 2, 3, 4, 5, 6, 7, 8}), bits({1, 2, 3, 5, 6, 7}), false, 0, 1},
    {Module::kPnetcdfFile, 2, bits({0, 2, 3, 4, 5, 6, 7, 8}), bits({2, 5, 6, 7}), false, 0, 1},
    {Module::kStdio, 1, bits({1}), 0, false, 0, 0},
};

const Older* older(const Layout& layout, uint32_t version) {
  for (const Older& each : kOlder) {
    if (each.module == layout.module && each.version == version) return &each;
  }
  return nullptr;
}

bool has(uint32_t lacking, size_t number) { return number >= 32 || (lacking >> number & 1) == 0; }

uint64_t word(const uint8_t*& at, bool swap) {
  const auto value = base::load<uint64_t>(at);
  at += sizeof value;
  return swap ? __builtin_bswap64(value) : value;
}

}  // namespace

std::string_view module_name(size_t number) { return number < std::size(kNames) ? kNames[number] : ""; }
std::string_view count_name(size_t number) { return kCountNames[number]; }
std::string_view real_name(size_t number) { return kRealNames[number]; }
std::span<const Layout> layouts() { return kLayouts; }

const Layout* layout_of(Module module) {
  for (const Layout& layout : kLayouts) {
    if (layout.module == module) return &layout;
  }
  return nullptr;
}

size_t stored_bytes(const Layout& layout, uint32_t version) {
  if (version == layout.newest) return layout.record_bytes();
  const Older* old = older(layout, version);
  if (old == nullptr) return 0;
  const int lacking = std::popcount(old->no_counts) + std::popcount(old->no_reals) + (old->no_file ? 1 : 0);
  return layout.record_bytes() + size_t{8} * old->extra - 8 * static_cast<size_t>(lacking);
}

bool decode(const Layout& layout, uint32_t version, const uint8_t* bytes, bool swap, Record& record) {
  static constexpr Older kNone{Module::kNull, 0, 0, 0, false, 0, 0};
  const Older* old = version == layout.newest ? &kNone : older(layout, version);
  record.id = word(bytes, swap);
  record.rank = static_cast<int64_t>(word(bytes, swap));
  record.file = layout.has_file && !old->no_file ? word(bytes, swap) : 0;
  int64_t first_extra = 0;
  for (size_t i = 0, stored = 0; i < layout.counts; ++i) {
    record.counts[i] = -1;
    if (!has(old->no_counts, i)) continue;
    for (uint8_t e = 0; stored == old->extra_at && e < old->extra; ++e) {
      const auto value = static_cast<int64_t>(word(bytes, swap));
      if (e == 0) first_extra = value;
    }
    record.counts[i] = static_cast<int64_t>(word(bytes, swap));
    ++stored;
  }
  for (size_t i = 0; i < layout.reals; ++i) {
    record.reals[i] = has(old->no_reals, i) ? std::bit_cast<double>(word(bytes, swap)) : -1.0;
  }
  if (layout.module == Module::kPosix && old->version != 0) record.counts[POSIX_RENAMED_FROM] = 0;  // an id
  if (layout.module == Module::kPnetcdfFile && old->version != 0) {
    int64_t& opens = record.counts[PNETCDF_FILE_OPENS - PNETCDF_FILE_CREATES];
    opens = static_cast<int64_t>(static_cast<uint64_t>(opens) + static_cast<uint64_t>(first_extra));
  }
  return !(layout.module == Module::kPosix && old->version == 1 && first_extra > 0);
}

}  // namespace headrace::convert::darshan
