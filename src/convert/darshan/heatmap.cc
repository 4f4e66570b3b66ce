#include <algorithm>

#include "convert/darshan/reading.h"
#include "convert/darshan/words.h"

namespace headrace::convert::darshan {

using base::Status;

namespace {

/// A time line of one rank and interface.
class HeatmapReader {
 public:
  explicit HeatmapReader(Reading& reading) : reading_(reading), region_(reading.region(Module::kHeatmap)) {}

  Status read() {
    std::vector<uint8_t> head(kHead);
    size_t got;
    while ((got = region_.read(head)) == kHead) {
      Words words(head.data(), reading_.header.swap);
      id_ = words.u64();
      rank_ = words.i64();
      width_s_ = words.f64();
      const int64_t bins = words.i64();
      if (bins < 0 || bins > kMostBins) {
        reading_.lose(Module::kHeatmap, 1, "time lines at least", "the number of spans of one makes no sense");
        break;
      }
      if (!read_bins(static_cast<size_t>(bins))) break;
      if (reading_.too_large(bins_)) return reading_.limit();
    }
    reading_.check_end(Module::kHeatmap, region_, got < kHead ? got : begun_);
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
    for (int64_t& value : values) value = words.i64();
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
  return HeatmapReader(reading).read();
}

}  // namespace headrace::convert::darshan
