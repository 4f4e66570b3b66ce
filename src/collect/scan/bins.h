#pragma once
// The bins of a scan's histograms (docs/formats/scan.md), and what is counted in them. python/headrace/scans/bins.py
// has the same ones; tests compare the two. Pure functions and plain data.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

namespace headrace::collect {

enum class Histogram : uint8_t {
  kSize,
  kCapacity,
  kPositiveOverhead,
  kNegativeOverhead,
  kModifiedAge,
  kAccessedAge,
  kChangedAge,
  kDirectoryEntries,
  kDirectoryFiles,
  kDirectorySize,
  kNameLength,
  kLinks,
  kSymlinkLength,
};
inline constexpr size_t kHistograms = 13;

enum class Bins : uint8_t { kPowers, kAges, kSteps };

struct HistogramInfo {
  const char* name;
  Bins bins;
  uint16_t first;  // where its bins begin in a Tally
};

inline constexpr int kPowerBins = 64, kAgeBins = 56, kStepBins = 512;
inline constexpr int64_t kAgeWidth = 675;  // seconds: 2^7 of them are a day
inline constexpr int64_t kStepWidth = 8;

constexpr uint16_t bins_of(Bins bins) {
  return bins == Bins::kPowers ? kPowerBins : bins == Bins::kAges ? kAgeBins : kStepBins;
}

constexpr std::array<HistogramInfo, kHistograms> histogram_infos() {
  std::array<HistogramInfo, kHistograms> all = {{{"size", Bins::kPowers, 0},
                                                 {"capacity", Bins::kPowers, 0},
                                                 {"positive_overhead", Bins::kPowers, 0},
                                                 {"negative_overhead", Bins::kPowers, 0},
                                                 {"modified_age", Bins::kAges, 0},
                                                 {"accessed_age", Bins::kAges, 0},
                                                 {"changed_age", Bins::kAges, 0},
                                                 {"directory_entries", Bins::kPowers, 0},
                                                 {"directory_files", Bins::kPowers, 0},
                                                 {"directory_size", Bins::kPowers, 0},
                                                 {"name_length", Bins::kSteps, 0},
                                                 {"links", Bins::kPowers, 0},
                                                 {"symlink_length", Bins::kSteps, 0}}};
  uint16_t next = 0;
  for (HistogramInfo& one : all) {
    one.first = next;
    next = static_cast<uint16_t>(next + bins_of(one.bins));
  }
  return all;
}
inline constexpr std::array<HistogramInfo, kHistograms> kHistogramInfos = histogram_infos();
inline constexpr size_t kAllBins = kHistogramInfos.back().first + bins_of(kHistogramInfos.back().bins);

/// Number of the bin that a value is in, as the file has it: -1 for ages below zero. Other values below zero count as
/// 0.
constexpr int bucket_of(Bins bins, int64_t value) {
  if (bins == Bins::kAges) return value < 0 ? -1 : std::bit_width(static_cast<uint64_t>(value / kAgeWidth));
  const int64_t positive = std::max<int64_t>(value, 0);
  if (bins == Bins::kPowers) return std::bit_width(static_cast<uint64_t>(positive));
  return static_cast<int>(std::min<int64_t>(positive / kStepWidth, kStepBins - 1));
}

/// The same as a place in a Tally, and back.
constexpr size_t place_of(Histogram histogram, int bucket) {
  const HistogramInfo& info = kHistogramInfos[static_cast<size_t>(histogram)];
  return static_cast<size_t>(info.first + bucket + (info.bins == Bins::kAges ? 1 : 0));
}
constexpr int bucket_at(const HistogramInfo& info, size_t place) {
  return static_cast<int>(place - info.first) - (info.bins == Bins::kAges ? 1 : 0);
}

/// Sums end at the greatest number that signed 64 bits hold.
constexpr int64_t add_capped(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

struct Bin {
  int64_t files = 0;
  int64_t bytes = 0;
  int64_t total = 0;    // sum of the values
  double weighted = 0;  // of ages: sum of the values, each times the size

  void add(int64_t size, int64_t value, double weight) {
    ++files;
    bytes = add_capped(bytes, size);
    total = add_capped(total, value);
    weighted += weight;
  }
  void add(const Bin& other) {
    files = add_capped(files, other.files);
    bytes = add_capped(bytes, other.bytes);
    total = add_capped(total, other.total);
    weighted += other.weighted;
  }
};

}  // namespace headrace::collect
