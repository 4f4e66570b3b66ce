#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "convert/darshan/reading.h"

namespace headrace::convert::darshan {

using base::Status;

namespace {

/// Numbers of a block that was read, in the byte order of the log.
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

bool known_version(Reading& reading, Module module, uint32_t newest) {
  const uint32_t version = reading.version(module);
  if (version != 0 && version <= newest) return true;
  reading.lose(module, reading.header.modules[static_cast<size_t>(module)].length, "bytes of the Darshan log",
               "version " + std::to_string(version) + " of its records is not known");
  return false;
}

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
        threads_(module == Module::kDxtPosix ? reading.version(module) >= 2 : reading.version(module) >= 3),
        offsets_(module == Module::kDxtPosix || reading.version(module) >= 2),
        time_line_(reading.run_ns) {
    segment_bytes_ = threads_ ? 40 : 32;
    block_.resize(segment_bytes_ * kBlock);
    own_series_ = module == Module::kDxtPosix && !reading.has(Module::kHeatmap);
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

  bool read_trace(const std::vector<uint8_t>& head) {
    Words words(head.data(), reading_.header.swap);
    const uint64_t id = words.u64();
    const int64_t rank = words.i64(), shared = words.i64();
    const std::string_view host = words.text(kHost);
    const int64_t writes = words.i64(), reads = words.i64();
    if (writes < 0 || reads < 0) return lose(0, "a number of operations is negative");
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
    return lose(missing, region_.trouble().empty() ? "its records end inside one" : region_.trouble());
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
      const size_t got = region_.read(std::span(block_).first(wanted * segment_bytes_)) / segment_bytes_;
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
    reading_.check_end(Module::kHeatmap, region_, got < kHead ? got : 0);
    reading_.extra.push_back(lines_.finish());
    reading_.extra.push_back(bins_.finish());
    return {};
  }

 private:
  static constexpr size_t kHead = 48;  // with two pointers that mean nothing in a file
  static constexpr int64_t kMostBins = 1 << 20;

  bool read_bins(size_t count) {
    std::vector<uint8_t> bytes(count * 16);
    if (region_.read(bytes) != bytes.size()) return false;
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
  uint64_t id_ = 0;
  int64_t rank_ = 0;
  double width_s_ = 0;
  TableMaker lines_{"darshan_heatmap"}, bins_{"darshan_heatbins"};
  NumberColumn &line_id_ = lines_.u64("id"), &line_rank_ = lines_.i64("rank"), &line_width_ = lines_.f64("width_s"),
               &line_bins_ = lines_.u64("bins");
  NumberColumn &bin_line_ = bins_.u64("line"), &bin_written_ = bins_.i64("bytes_written"),
               &bin_read_ = bins_.i64("bytes_read");
};

constexpr size_t kComponentCounts = 7, kPool = 16;
constexpr const char* kComponentNames[kComponentCounts] = {"stripe_size",  "stripe_count", "stripe_pattern", "flags",
                                                           "extent_start", "extent_end",   "mirror"};

struct Component {
  std::array<int64_t, kComponentCounts> counts{};
  std::string pool;
};

/// How files are striped.
class LustreReader {
 public:
  explicit LustreReader(Reading& reading) : reading_(reading), region_(reading.region(Module::kLustre)) {
    for (const char* name : kComponentNames) part_counts_.push_back(&parts_.i64(name));
  }

  Status read() {
    const bool old = reading_.version(Module::kLustre) == 1;
    std::vector<uint8_t> head(old ? 56 : 32);
    size_t got;
    while ((got = region_.read(head)) == head.size()) {
      if (!(old ? read_old(head) : read_new(head))) break;
      if (reading_.too_large(targets_)) return reading_.limit();
    }
    reading_.check_end(Module::kLustre, region_, got < head.size() ? got : 0);
    if (nameless_ != 0) {
      reading_.tables.gap(0, {"files on Lustre", nameless_, "files",
                              "Darshan says how they are striped, and nothing of what was done to them"});
    }
    for (TableMaker* table : {&files_, &parts_, &targets_}) reading_.extra.push_back(table->finish());
    return {};
  }

 private:
  static constexpr int64_t kMost = 1 << 20;  // components or targets of a file

  bool senseless() {
    reading_.lose(Module::kLustre, 1, "files at least", "the number of stripes of one makes no sense");
    return false;
  }

  /// Version 1: servers, then one component without its name.
  bool read_old(const std::vector<uint8_t>& head) {
    Words words(head.data(), reading_.header.swap);
    id_ = words.u64();
    rank_ = words.i64();
    for (int i = 0; i < 3; ++i) (void)words.i64();  // numbers of all servers, and the offset of the first
    Component component;
    component.counts = {words.i64(), words.i64(), -1, -1, 0, -1, -1};
    if (component.counts[1] < 0 || component.counts[1] > kMost) return senseless();
    return read_targets({component}, component.counts[1]);
  }

  bool read_new(const std::vector<uint8_t>& head) {
    Words words(head.data(), reading_.header.swap);
    id_ = words.u64();
    rank_ = words.i64();
    const int64_t count = words.i64(), stripes = words.i64();
    if (count < 0 || count > kMost || stripes < 0 || stripes > kMost) return senseless();
    std::vector<uint8_t> bytes(static_cast<size_t>(count) * (kComponentCounts * 8 + kPool));
    if (region_.read(bytes) != bytes.size()) return false;
    Words in(bytes.data(), reading_.header.swap);
    std::vector<Component> components;
    for (int64_t i = 0; i < count; ++i) {
      Component component;
      for (int64_t& value : component.counts) value = in.i64();
      component.pool = in.text(kPool);
      components.push_back(component);
    }
    return read_targets(components, stripes);
  }

  bool read_targets(std::vector<Component> components, int64_t stripes) {
    std::vector<uint8_t> bytes(static_cast<size_t>(stripes) * 8);
    if (region_.read(bytes) != bytes.size()) return false;
    Words words(bytes.data(), reading_.header.swap);
    std::vector<int64_t> targets(static_cast<size_t>(stripes));
    for (int64_t& target : targets) target = words.i64();
    // Places that the program did not use are marked so, and targets of used ones come first.
    const auto unused =
        std::find_if(components.begin(), components.end(), [](const Component& each) { return each.counts[0] == -1; });
    components.erase(unused, components.end());
    int64_t used = 0;
    for (const Component& each : components) used += std::clamp<int64_t>(each.counts[1], 0, kMost);
    targets.resize(std::min(targets.size(), static_cast<size_t>(used)));
    store(components, targets);
    put_properties(components, targets);
    return true;
  }

  void store(const std::vector<Component>& components, const std::vector<int64_t>& targets) {
    file_id_.add(id_);
    file_rank_.add(rank_);
    file_components_.add(static_cast<uint64_t>(components.size()));
    file_targets_.add(static_cast<uint64_t>(targets.size()));
    const uint64_t row = files_.rows() - 1;
    for (const Component& each : components) {
      part_file_.add(row);
      for (size_t i = 0; i < kComponentCounts; ++i) part_counts_[i]->add(each.counts[i]);
      part_pool_.add(each.pool);
    }
    for (const int64_t target : targets) {
      target_file_.add(row);
      target_.add(target);
    }
  }

  void put_properties(const std::vector<Component>& components, const std::vector<int64_t>& targets) {
    const auto found = reading_.row_of_file.find(id_);
    if (found == reading_.row_of_file.end()) {
      ++nameless_;
      return;
    }
    const auto put = [&](const std::string& key, const std::string& value) {
      reading_.tables.property(found->second.process, found->second.record, key, value);
    };
    for (size_t i = 0; i < components.size(); ++i) {
      const std::string part = components.size() == 1 ? "lustre." : "lustre.component" + std::to_string(i + 1) + ".";
      put(part + "stripe_size", std::to_string(components[i].counts[0]));
      put(part + "stripe_count", std::to_string(components[i].counts[1]));
      if (!components[i].pool.empty()) put(part + "pool", components[i].pool);
    }
    std::string text;
    for (const int64_t target : targets) text += (text.empty() ? "" : ",") + std::to_string(target);
    if (!text.empty()) put("lustre.osts", text);
  }

  Reading& reading_;
  RegionReader region_;
  uint64_t id_ = 0, nameless_ = 0;
  int64_t rank_ = 0;
  TableMaker files_{"darshan_lustre"}, parts_{"darshan_lustpart"}, targets_{"darshan_lustosts"};
  NumberColumn &file_id_ = files_.u64("id"), &file_rank_ = files_.i64("rank"),
               &file_components_ = files_.u64("components"), &file_targets_ = files_.u64("osts");
  NumberColumn& part_file_ = parts_.u64("file");
  TextColumn& part_pool_ = parts_.text("pool");
  std::vector<NumberColumn*> part_counts_;
  NumberColumn &target_file_ = targets_.u64("file"), &target_ = targets_.i64("ost");
};

}  // namespace

Status read_dxt(Reading& reading, Module module) {
  if (!reading.has(module) || !known_version(reading, module, module == Module::kDxtPosix ? 2 : 3)) return {};
  return TraceReader(reading, module).read();
}

Status read_heatmap(Reading& reading) {
  if (!reading.has(Module::kHeatmap) || !known_version(reading, Module::kHeatmap, 1)) return {};
  return HeatmapReader(reading).read();
}

Status read_lustre(Reading& reading) {
  if (!reading.has(Module::kLustre) || !known_version(reading, Module::kLustre, 2)) return {};
  return LustreReader(reading).read();
}

}  // namespace headrace::convert::darshan
