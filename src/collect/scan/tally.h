#pragma once
// What a scan has counted: by owner in bins, and in all. Each thread has a Counts of its own, which are added up where
// the threads stand still.

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>

#include "collect/scan/bins.h"

namespace headrace::collect {

/// Numbers of a scan as a whole: HEADRACE_SCAN_TOTALS(X) is X(name) for each, by the name in the file.
// clang-format off
#define HEADRACE_SCAN_TOTALS(X)                                                     \
  X(files) X(directories) X(symlinks) X(others)                                     \
  X(bytes) X(capacity) X(directory_bytes) X(symlink_bytes) X(other_bytes)           \
  X(other_capacity) X(largest) X(unreadable) X(vanished) X(mounts)                  \
  X(symlinks_absolute) X(repeated_links) X(links_elsewhere) X(links_elsewhere_bytes)
// clang-format on

struct Totals {
#define HEADRACE_FIELD(name) int64_t name = 0;
  HEADRACE_SCAN_TOTALS(HEADRACE_FIELD)
#undef HEADRACE_FIELD
  void add(const Totals& other);
  int64_t entries() const { return add_capped(add_capped(files, directories), add_capped(symlinks, others)); }
};

/// Whom a file belongs to. `place`: number of the deepest path of the project map that it lies below; 0: of none.
struct Owner {
  uint32_t user = 0, group = 0, place = 0;
  auto operator<=>(const Owner&) const = default;
};

struct Range {
  int64_t least = std::numeric_limits<int64_t>::max(), greatest = std::numeric_limits<int64_t>::min();
  bool any() const { return least <= greatest; }
  void add(int64_t value) {
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
};

enum class FileType : uint8_t { kFile, kDirectory, kSymlink, kOther };

/// What is known of an inode.
struct Inode {
  uint64_t device = 0, number = 0;
  int64_t size = 0, capacity = 0;
  std::array<int64_t, 3> times = {};  // s since 1970: modified, accessed, changed
  std::array<int64_t, 3> ages = {};   // s from these to the scan's start
  Owner owner;
  uint32_t links = 1;
  FileType type = FileType::kFile;
  bool absolute = false;  // a symbolic link that begins with "/"
};

struct BinKey {
  Owner owner;
  uint16_t place = 0;  // place_of
  auto operator<=>(const BinKey&) const = default;
};

/// All that is counted, sparse: as it is stored.
struct Sums {
  std::map<BinKey, Bin> bins;
  std::array<Range, kHistograms> ranges;
  Totals totals;
};

/// Of how many owners one thread keeps the bins: 40 KB each.
inline constexpr size_t kOwners = 64;

class Counts {
 public:
  /// Of any type; of a file with several links once.
  void add_inode(const Inode& inode);
  void add_name(const Owner& owner, int64_t length) { add(owner, Histogram::kNameLength, length, length); }
  /// Of one that was read to its end.
  void add_directory(const Inode& inode, int64_t entries, int64_t files);
  Totals& totals() { return totals_; }
  /// Of how many owners there are bins: they take about 40 KB each.
  size_t owners() const { return tallies_.size(); }
  /// Adds everything to `sums` and begins anew.
  void move_to(Sums& sums);

 private:
  using Tally = std::array<Bin, kAllBins>;
  struct OwnerHash {
    size_t operator()(const Owner& owner) const {
      return (uint64_t{owner.user} << 32 ^ owner.group) * 0x9e3779b97f4a7c15U + owner.place * 0xc2b2ae35U;
    }
  };
  Tally& tally_of(const Owner& owner);
  void add(const Owner& owner, Histogram histogram, int64_t value, int64_t bytes);
  void count(Tally& tally, Histogram histogram, int64_t value, int64_t bytes);
  void add_overhead(Tally& tally, const Inode& inode);
  void add_file(const Inode& inode);

  std::unordered_map<Owner, std::unique_ptr<Tally>, OwnerHash> tallies_;
  Owner last_;
  Tally* last_tally_ = nullptr;
  std::array<Range, kHistograms> ranges_;
  Totals totals_;
};

}  // namespace headrace::collect
