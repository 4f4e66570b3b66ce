#include "collect/scan/tally.h"

namespace headrace::collect {

void Totals::add(const Totals& other) {
  const int64_t largest_of_both = std::max(largest, other.largest);
#define HEADRACE_FIELD(name) name = add_capped(name, other.name);
  HEADRACE_SCAN_TOTALS(HEADRACE_FIELD)
#undef HEADRACE_FIELD
  largest = largest_of_both;
}

Counts::Tally& Counts::tally_of(const Owner& owner) {
  if (last_tally_ != nullptr && last_ == owner) return *last_tally_;
  std::unique_ptr<Tally>& tally = tallies_[owner];
  if (!tally) tally = std::make_unique<Tally>();
  last_ = owner;
  last_tally_ = tally.get();
  return *tally;
}

void Counts::count(Tally& tally, Histogram histogram, int64_t value, int64_t bytes) {
  const Bins bins = kHistogramInfos[static_cast<size_t>(histogram)].bins;
  const double weight = bins == Bins::kAges ? static_cast<double>(value) * static_cast<double>(bytes) : 0;
  tally[place_of(histogram, bucket_of(bins, value))].add(bytes, value, weight);
  ranges_[static_cast<size_t>(histogram)].add(value);
}

void Counts::add(const Owner& owner, Histogram histogram, int64_t value, int64_t bytes) {
  count(tally_of(owner), histogram, value, bytes);
}

/// As fsstats does: in the bin of the size, with what is allocated beyond it or not.
void Counts::add_overhead(Tally& tally, const Inode& inode) {
  const bool positive = inode.capacity >= inode.size;
  const Histogram histogram = positive ? Histogram::kPositiveOverhead : Histogram::kNegativeOverhead;
  const int64_t overhead = positive ? inode.capacity - inode.size : inode.size - inode.capacity;
  tally[place_of(histogram, bucket_of(Bins::kPowers, inode.size))].add(overhead, overhead, 0);
  ranges_[static_cast<size_t>(histogram)].add(overhead);
}

void Counts::add_file(const Inode& inode) {
  Tally& tally = tally_of(inode.owner);
  ++totals_.files;
  totals_.bytes = add_capped(totals_.bytes, inode.size);
  totals_.capacity = add_capped(totals_.capacity, inode.capacity);
  totals_.largest = std::max(totals_.largest, inode.size);
  count(tally, Histogram::kSize, inode.size, inode.size);
  count(tally, Histogram::kCapacity, inode.capacity, inode.capacity);
  add_overhead(tally, inode);
  count(tally, Histogram::kModifiedAge, inode.ages[0], inode.size);
  count(tally, Histogram::kAccessedAge, inode.ages[1], inode.size);
  count(tally, Histogram::kChangedAge, inode.ages[2], inode.size);
  count(tally, Histogram::kLinks, inode.links, inode.size);
}

void Counts::add_inode(const Inode& inode) {
  if (inode.type == FileType::kFile) return add_file(inode);
  totals_.other_capacity = add_capped(totals_.other_capacity, inode.capacity);
  if (inode.type == FileType::kOther) {
    ++totals_.others;
    totals_.other_bytes = add_capped(totals_.other_bytes, inode.size);
    return;
  }
  add_overhead(tally_of(inode.owner), inode);
  if (inode.type == FileType::kDirectory) {
    ++totals_.directories;
    totals_.directory_bytes = add_capped(totals_.directory_bytes, inode.size);
    return;
  }
  ++totals_.symlinks;
  totals_.symlink_bytes = add_capped(totals_.symlink_bytes, inode.size);
  totals_.symlinks_absolute += inode.absolute ? 1 : 0;
  add(inode.owner, Histogram::kSymlinkLength, inode.size, inode.size);
}

void Counts::add_directory(const Inode& inode, int64_t entries, int64_t files) {
  add(inode.owner, Histogram::kDirectoryEntries, entries, inode.size);
  add(inode.owner, Histogram::kDirectoryFiles, files, inode.size);
  add(inode.owner, Histogram::kDirectorySize, inode.size, inode.size);
}

void Counts::move_to(Sums& sums) {
  for (const auto& [owner, tally] : tallies_) {
    for (size_t place = 0; place < kAllBins; ++place) {
      const Bin& bin = (*tally)[place];
      if (bin.files != 0) sums.bins[{owner, static_cast<uint16_t>(place)}].add(bin);
    }
  }
  for (size_t i = 0; i < kHistograms; ++i) {
    if (!ranges_[i].any()) continue;
    sums.ranges[i].add(ranges_[i].least);
    sums.ranges[i].add(ranges_[i].greatest);
  }
  sums.totals.add(totals_);
  tallies_.clear();
  last_tally_ = nullptr;
  ranges_ = {};
  totals_ = {};
}

}  // namespace headrace::collect
