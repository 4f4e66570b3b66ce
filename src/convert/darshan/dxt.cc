#include <algorithm>
#include <array>

#include "convert/darshan/reading.h"
#include "convert/darshan/sanity.h"
#include "convert/darshan/words.h"

namespace headrace::convert::darshan {

using base::Status;

namespace {

/// Bytes and operations over time of one trace, when no time line of Darshan's own is in the log.
class TimeLine {
 public:
  explicit TimeLine(uint64_t run_ns) : width_(run_ns / kBins + 1) {}
  void add(uint32_t direction, uint64_t end_at_ns, uint64_t bytes) {
    Bin& bin = bins_[direction][std::min<uint64_t>(end_at_ns / width_, kBins)];
    bin.bytes += bytes;
    ++bin.operations;
  }
  void store(JobTables& tables, uint64_t process) {
    for (uint32_t d = 0; d < model::kDirections; ++d) {
      for (uint64_t i = 0; i <= kBins; ++i) {
        Bin& bin = bins_[d][i];
        if (bin.operations != 0) tables.series(process, {d, i * width_, width_, bin.bytes, bin.operations});
        bin = {};
      }
    }
  }

 private:
  static constexpr uint64_t kBins = 512;
  struct Bin {
    uint64_t bytes = 0, operations = 0;
  };
  uint64_t width_;
  std::array<std::array<Bin, kBins + 1>, 2> bins_{};
};

/// Segments of one file and rank, as a stream: first all writes, then all reads.
class TraceReader {
 public:
  TraceReader(Reading& reading, Module module)
      : reading_(reading),
        module_(module),
        region_(reading.region(module)),
        sanity_(reading),
        threads_(module == Module::kDxtPosix ? reading.version(module) >= 2 : reading.version(module) >= 3),
        offsets_(module == Module::kDxtPosix || reading.version(module) >= 2),
        time_line_(reading.run_ns) {
    segment_bytes_ = threads_ ? 40 : 32;
    block_.resize(segment_bytes_ * kBlock);
    own_series_ = module == Module::kDxtPosix && !reading.has(Module::kHeatmap);
  }

  /// Why the records are none that are known; empty: they are, or the region is damaged.
  std::string askew() {
    std::vector<uint8_t> head(kHead);
    size_t got;
    uint64_t whole = 0;
    while ((got = region_.read(head)) == kHead && looks_right(head)) ++whole;
    if (!is_undamaged(region_)) return "";
    if (got != 0 && whole == 0) sanity_.end_inside();
    if (got != 0 && got < kHead && !sanity_.is_begun(base::Bytes(head).first(got))) sanity_.end_inside();
    return sanity_.why();
  }

  Status read() {
    std::vector<uint8_t> head(kHead);
    size_t got;
    while ((got = region_.read(head)) == kHead) {
      if (!read_trace(head)) break;
      if (reading_.too_large(table_)) return reading_.limit();
    }
    if (!broken_) reading_.check_end(module_, region_, got < kHead ? got : 0);
    reading_.extra.push_back(table_.finish());
    return {};
  }

 private:
  static constexpr size_t kHead = 104, kHost = 64, kBlock = 4096;

  /// How many of the first segments of the block can be.
  size_t senseful(size_t count) {
    size_t good = 0;
    while (good < count && is_segment(good * segment_bytes_)) ++good;
    return good;
  }

  bool looks_right(const std::vector<uint8_t>& head) {
    Words words(head.data(), reading_.header.swap);
    if (!sanity_.id(words.u64())) return false;
    (void)words.i64();  // a rank, of which the number of processes may know less than the traces
    (void)words.i64();
    (void)words.text(kHost);
    const int64_t writes = words.i64(), reads = words.i64();
    if (!sanity_.count("the number of writes", writes) || !sanity_.count("the number of reads", reads)) return false;
    const auto positive = [](int64_t number) { return static_cast<uint64_t>(std::max<int64_t>(number, 0)); };
    uint64_t left = positive(writes) + positive(reads);
    while (left > 0) {
      const auto wanted = static_cast<size_t>(std::min<uint64_t>(left, kBlock));
      const size_t got = region_.read(std::span(block_).first(wanted * segment_bytes_)) / segment_bytes_;
      if (senseful(got) < wanted) return false;
      left -= got;
    }
    return true;
  }

  bool is_segment(size_t at) {
    Words words(block_.data() + at, reading_.header.swap);
    if (!sanity_.distance("an offset", words.i64()) || !sanity_.count("the bytes of an operation", words.i64()))
      return false;
    const double start = words.f64(), end = words.f64();
    return sanity_.seconds("the start of an operation", start) && sanity_.seconds("the end of an operation", end);
  }

  bool read_trace(const std::vector<uint8_t>& head) {
    Words words(head.data(), reading_.header.swap);
    const uint64_t id = words.u64();
    const int64_t rank = words.i64(), shared = words.i64();
    const std::string_view host = words.text(kHost);
    const int64_t writes = words.i64(), reads = words.i64();
    const bool possible = sanity_.id(id) && sanity_.count("the number of writes", writes) &&
                          sanity_.count("the number of reads", reads) && writes >= 0 && reads >= 0;
    if (!possible) return lose(0, "a trace says what cannot be: " + sanity_.why());
    if (!host.empty() && rank >= -1) reading_.hosts.try_emplace(rank, host);
    const int64_t known_rank = std::max<int64_t>(rank, -1);
    reading_.records_of_rank.try_emplace(known_rank, 0);
    process_ = reading_.process_of(known_rank);
    record_ = reading_.row_of(known_rank, id, layer_of(module_));
    const uint64_t written = read_segments(model::kWrite, static_cast<uint64_t>(writes));
    const bool whole = written == static_cast<uint64_t>(writes);
    const uint64_t read = whole ? read_segments(model::kRead, static_cast<uint64_t>(reads)) : 0;
    id_.add(id);
    rank_.add(rank);
    shared_.add(shared);
    writes_.add(written);
    reads_.add(read);
    module_name_.add(module_name(static_cast<size_t>(module_)));
    host_.add(host);
    if (own_series_) time_line_.store(reading_.tables, process_);
    const uint64_t missing = static_cast<uint64_t>(writes) - written + (static_cast<uint64_t>(reads) - read);
    if (missing == 0) return true;
    (void)is_undamaged(region_);
    return lose(missing, region_.trouble().empty() ? "its records end inside one"
                                                   : "the last ones that are here may be wrong: " + region_.trouble());
  }

  bool lose(uint64_t missing, const std::string& why) {
    broken_ = true;
    reading_.lose(module_, missing, "traced operations at least", why);
    return false;
  }

  /// Gives how many there were; fewer than `count` at the end of the region or of the memory.
  uint64_t read_segments(uint32_t direction, uint64_t count) {
    uint64_t done = 0;
    while (done < count) {
      const auto wanted = static_cast<size_t>(std::min<uint64_t>(count - done, kBlock));
      const size_t there = region_.read(std::span(block_).first(wanted * segment_bytes_)) / segment_bytes_;
      const size_t got = senseful(there);
      add_segments(direction, got);
      done += got;
      if (got < wanted || reading_.too_large(table_)) break;
    }
    return done;
  }

  void add_segments(uint32_t direction, size_t count) {
    Words words(block_.data(), reading_.header.swap);
    reading_.tables.segments_of(process_, record_, layer_of(module_), direction, count);
    for (size_t i = 0; i < count; ++i) {
      Segment segment{};
      const int64_t offset = words.i64();
      segment.offset = offsets_ ? offset : -1;
      segment.bytes = static_cast<uint64_t>(std::max<int64_t>(words.i64(), 0));
      segment.start_at_ns = to_ns(words.f64());
      segment.end_at_ns = to_ns(words.f64());
      segment.thread = threads_ ? words.u64() : 0;
      reading_.tables.segment(segment);
      if (own_series_) time_line_.add(direction, segment.end_at_ns, segment.bytes);
    }
  }

  Reading& reading_;
  Module module_;
  RegionReader region_;
  Sanity sanity_;
  bool threads_, offsets_, own_series_ = false, broken_ = false;
  size_t segment_bytes_;
  std::vector<uint8_t> block_;
  uint64_t process_ = 0, record_ = 0;
  TimeLine time_line_;
  TableMaker table_{module_ == Module::kDxtPosix ? "darshan_dxtposix" : "darshan_dxtmpiio"};
  NumberColumn &id_ = table_.u64("id"), &rank_ = table_.i64("rank"), &shared_ = table_.i64("shared"),
               &writes_ = table_.u64("writes"), &reads_ = table_.u64("reads");
  TextColumn &module_name_ = table_.text("module"), &host_ = table_.text("host");
};

}  // namespace

Status read_dxt(Reading& reading, Module module) {
  if (!reading.has(module) || !reading.knows_version(module, module == Module::kDxtPosix ? 2 : 3)) return {};
  if (const std::string why = TraceReader(reading, module).askew(); !why.empty()) {
    lose_askew(reading, module, why);
    return {};
  }
  return TraceReader(reading, module).read();
}

}  // namespace headrace::convert::darshan
