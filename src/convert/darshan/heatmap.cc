#include <algorithm>

#include "convert/darshan/reading.h"
#include "convert/darshan/sanity.h"
#include "convert/darshan/words.h"

namespace headrace::convert::darshan {

using base::Status;

namespace {

/// A time line of one rank and interface.
class HeatmapReader {
 public:
  /// `keeps`: false to look at the records alone.
  HeatmapReader(Reading& reading, bool keeps)
      : reading_(reading), region_(reading.region(Module::kHeatmap)), sanity_(reading), keeps_(keeps) {}

  /// Why the records are none that are known; empty: they are, or the region is damaged.
  std::string askew() {
    const Status ended = read();
    if (!ended.ok() || !is_undamaged(region_)) return "";
    if (begun_ != 0 && whole_ == 0) sanity_.end_inside();
    return sanity_.why();
  }

  Status read() {
    std::vector<uint8_t> head(kHead);
    size_t got;
    while ((got = region_.read(head)) == kHead) {
      Words words(head.data(), reading_.header.swap);
      id_ = words.u64();
      rank_ = words.i64();
      width_s_ = words.f64();
      const int64_t bins = words.i64();
      if (!sanity_.id(id_) || !sanity_.rank(rank_) || !sanity_.seconds("the width of a span", width_s_)) break;
      if (!sanity_.count("the number of spans", bins < 0 || bins > kMostBins ? INT64_MAX : bins)) break;
      if (!read_bins(static_cast<size_t>(bins))) break;
      if (keeps_ && reading_.too_large(bins_)) return reading_.limit();
    }
    if (got < kHead && (begun_ = got) != 0 && !sanity_.is_begun(base::Bytes(head).first(got))) sanity_.end_inside();
    if (!keeps_) return {};
    (void)is_undamaged(region_);
    reading_.check_end(Module::kHeatmap, region_, begun_);
    reading_.extra.push_back(lines_.finish());
    reading_.extra.push_back(bins_.finish());
    return {};
  }

 private:
  static constexpr size_t kHead = 48;  // with two pointers that mean nothing in a file
  static constexpr int64_t kMostBins = 1 << 20;

  bool read_bins(size_t count) {
    std::vector<uint8_t> bytes(count * 16);
    if (const size_t got = region_.read(bytes); got != bytes.size()) {
      begun_ = kHead + got;
      return false;
    }
    Words words(bytes.data(), reading_.header.swap);
    std::vector<int64_t> values(2 * count);
    for (int64_t& value : values) {
      value = words.i64();
      if (!sanity_.count("the bytes of a span", value)) return false;
    }
    ++whole_;
    if (!keeps_) return true;
    line_id_.add(id_);
    line_rank_.add(rank_);
    line_width_.add(width_s_);
    line_bins_.add(static_cast<uint64_t>(count));
    for (size_t i = 0; i < count; ++i) {
      bin_line_.add(lines_.rows() - 1);
      bin_written_.add(values[i]);
      bin_read_.add(values[count + i]);
    }
    // Bytes of the other interfaces pass one of these two as well.
    const std::string_view name = reading_.names.raw(id_);
    if (name == "heatmap:POSIX" || name == "heatmap:STDIO") put_series(values, count);
    return true;
  }

  void put_series(const std::vector<int64_t>& values, size_t count) {
    const int64_t rank = std::max<int64_t>(rank_, -1);
    const uint64_t width_ns = to_ns(width_s_);
    reading_.records_of_rank.try_emplace(rank, 0);
    for (const uint32_t direction : {model::kWrite, model::kRead}) {
      for (size_t i = 0; i < count; ++i) {
        const int64_t bytes = values[direction == model::kWrite ? i : count + i];
        if (bytes <= 0) continue;
        reading_.tables.series(reading_.process_of(rank),
                               {direction, i * width_ns, width_ns, static_cast<uint64_t>(bytes), 0});
      }
    }
  }

  Reading& reading_;
  RegionReader region_;
  Sanity sanity_;
  bool keeps_;
  uint64_t whole_ = 0;  // records
  uint64_t begun_ = 0;  // bytes of a record that ends inside
  uint64_t id_ = 0;
  int64_t rank_ = 0;
  double width_s_ = 0;
  TableMaker lines_{"darshan_heatmap"}, bins_{"darshan_heatbins"};
  NumberColumn &line_id_ = lines_.u64("id"), &line_rank_ = lines_.i64("rank"), &line_width_ = lines_.f64("width_s"),
               &line_bins_ = lines_.u64("bins");
  NumberColumn &bin_line_ = bins_.u64("line"), &bin_written_ = bins_.i64("bytes_written"),
               &bin_read_ = bins_.i64("bytes_read");
};

}  // namespace

Status read_heatmap(Reading& reading) {
  if (!reading.has(Module::kHeatmap) || !reading.knows_version(Module::kHeatmap, 1)) return {};
  if (const std::string why = HeatmapReader(reading, false).askew(); !why.empty()) {
    lose_askew(reading, Module::kHeatmap, why);
    return {};
  }
  return HeatmapReader(reading, true).read();
}

}  // namespace headrace::convert::darshan
