#include "capture/harvest/phase_reader.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "capture/harvest/function_names.h"
#include "model/size_bins.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kLargestShift = 55;
constexpr std::string_view kFlowNames[kFlows] = {"read", "write", "message"};
constexpr std::string_view kEnds[] = {"end", "outer", "thread"};

using FunctionKey = uint16_t;
using SizeKey = std::pair<uint32_t, uint32_t>;  // layer · 2 + direction, bin

/// Sums of one instance or of many.
struct Sums {
  std::map<FunctionKey, FunctionSum> functions;
  std::map<SizeKey, uint64_t> sizes;
};

uint64_t less(uint64_t whole, uint64_t part) { return whole > part ? whole - part : 0; }

void add(FunctionSum& to, const FunctionSum& from) {
  to.calls += from.calls;
  to.errors += from.errors;
  to.bytes += from.bytes;
  to.time += from.time;
  to.inside += from.inside;
  to.function = from.function;
  to.direction = from.direction;
}

void subtract(FunctionSum& from, const FunctionSum& part) {
  from.calls = less(from.calls, part.calls);
  from.errors = less(from.errors, part.errors);
  from.bytes = less(from.bytes, part.bytes);
  from.time = less(from.time, part.time);
  from.inside = less(from.inside, part.inside);
}

class PhaseReader {
 public:
  PhaseReader(SpoolBytes& bytes, const Header& header, const ClockMap& clock, uint64_t end_ticks, DamageList& damage)
      : bytes_(bytes), header_(header), clock_(clock), end_ticks_(end_ticks), damage_(damage) {}

  Phases read() {
    Phases out;
    read_process_sizes(&out);
    for (uint32_t offset = header_.first_phase; offset != 0;) {
      Phase phase;
      if (!bytes_.claim(offset, &phase)) {
        damage_.add("a phase", offset);
        break;
      }
      read_phase(offset, phase, &out);
      offset = phase.next;
    }
    const uint32_t count = header_.open_phase_count;
    if (count > kOpenPhases) {
      damage_.add("the number of open phases", count);
    } else if (count > 0) {
      read_process_sums();
      for (uint32_t i = 0; i < count; ++i) read_open(header_.open_phases[i], &out);
    }
    return out;
  }

 private:
  Sums read_sums(uint32_t functions, uint32_t sizes) {
    Sums sums;
    while (functions != 0) {
      FunctionSums rows;
      if (!bytes_.claim(functions, &rows) || rows.rows > FunctionSums::kRows) {
        damage_.add("figures of a phase", functions);
        break;
      }
      for (uint32_t i = 0; i < rows.rows; ++i) add(sums.functions[rows.of[i].function], rows.of[i]);
      functions = rows.next;
    }
    while (sizes != 0) {
      SizeSums rows;
      if (!bytes_.claim(sizes, &rows) || rows.rows > SizeSums::kRows) {
        damage_.add("sizes of a phase", sizes);
        break;
      }
      for (uint32_t i = 0; i < rows.rows; ++i) {
        const SizeSum& row = rows.of[i];
        if (row.layer >= kSystemLayers || row.direction > 1 || row.bin >= kFineSizes)
          damage_.add("sizes of a phase", sizes);
        else
          sums.sizes[{row.layer * 2u + row.direction, row.bin}] += row.count;
      }
      sizes = rows.next;
    }
    return sums;
  }

  /// Ticks to nanoseconds, functions to their names.
  void give(const Sums& sums, model::Phase* out) {
    for (const auto& [key, sum] : sums.functions) {
      if (sum.calls == 0 && sum.errors == 0) continue;
      model::Profile profile;
      profile.calls = sum.calls;
      profile.errors = sum.errors;
      profile.bytes = sum.bytes;
      profile.time_ns = clock_.duration_ns(sum.time);
      profile.own_ns = clock_.duration_ns(less(sum.time, sum.inside));
      const FunctionName name = function_name_of(key);
      if (name.name == nullptr) continue;
      profile.function = name.name;
      profile.layer = name.layer;
      add_totals(sum, profile, out);
      out->profiles.push_back(profile);
    }
    for (const auto& [key, count] : sums.sizes) {
      if (count == 0) continue;
      const auto& [place, bin] = key;
      out->sizes.push_back({place / 2 ? "stdio" : "posix", place % 2 ? "write" : "read", model::SizeBins::least(bin),
                            model::SizeBins::most(bin), count});
    }
  }

  static void add_totals(const FunctionSum& sum, const model::Profile& profile, model::Phase* out) {
    if (profile.layer == "mpi") {
      out->message_bytes += profile.bytes;
      out->message_ns += profile.time_ns;
    } else if (sum.function & kLibraryFunction) {
      return;  // the system's calls that it makes count
    } else if (sum.direction == kMovesRead) {
      out->bytes_read += profile.bytes;
      out->read_ns += profile.time_ns;
    } else if (sum.direction == kMovesWrite) {
      out->bytes_written += profile.bytes;
      out->write_ns += profile.time_ns;
    } else {
      out->meta_ns += profile.time_ns;
    }
  }

  void give_series(const PhaseSeries& series, model::Phase* out) {
    if (!clock_.known()) return;
    if (series.shift > kLargestShift) return damage_.add("the width of a phase's series", series.shift);
    const uint64_t first = clock_.at_ns(series.start);
    for (uint32_t flow = 0; flow < kFlows; ++flow) {
      for (uint64_t bin = 0; bin < kPhaseBins; ++bin) {
        const uint64_t bytes = series.bytes[bin][flow];
        if (bytes == 0) continue;
        const uint64_t start = clock_.duration_ns(bin << series.shift);
        const uint64_t end = clock_.duration_ns((bin + 1) << series.shift);
        out->series.push_back({kFlowNames[flow], first + start, end - start, bytes});
      }
    }
  }

  void read_phase(uint32_t offset, const Phase& phase, Phases* out) {
    std::string_view path;
    if (!bytes_.name(phase.name, &path)) damage_.add("the name of a phase", offset);
    paths_[offset] = path;
    model::Phase all;
    all.path = path;
    all.instances = phase.finished;
    all.cut = phase.cut;
    all.start_at_ns = clock_.at_ns(phase.first_begin);
    all.end_at_ns = clock_.at_ns(phase.last_end);
    all.time_ns = clock_.duration_ns(phase.time);
    all.least_ns = phase.finished ? clock_.duration_ns(phase.least) : 0;
    all.most_ns = clock_.duration_ns(phase.most);
    all.slowest = phase.slowest;
    const double per_tick = phase.time ? static_cast<double>(all.time_ns) / static_cast<double>(phase.time) : 0;
    const double variance = phase.finished ? phase.deviations / static_cast<double>(phase.finished) : 0;
    all.variance_ns2 = variance >= 0 && variance < 1e38 ? variance * per_tick * per_tick : 0;
    give(read_sums(phase.functions, phase.sizes), &all);
    out->finished.push_back(std::move(all));
    read_instances(path, phase.first_instance, out);
  }

  void read_instances(std::string_view path, uint32_t offset, Phases* out) {
    std::vector<model::Phase> instances;
    while (offset != 0) {
      PhaseInstance instance;
      if (!bytes_.claim(offset, &instance) || instance.end < instance.begin) {
        damage_.add("an instance of a phase", offset);
        break;
      }
      model::Phase one = row_of(path, instance.number, instance.begin, instance.end);
      const auto how = static_cast<uint32_t>(instance.ended);
      one.ended = how < std::size(kEnds) ? kEnds[how] : "end";
      one.cut = instance.ended != PhaseEnd::kEnd;
      give(read_sums(instance.functions, instance.sizes), &one);
      PhaseSeries series;
      if (instance.series != 0 && bytes_.claim(instance.series, &series))
        give_series(series, &one);
      else if (instance.series != 0)
        damage_.add("the series of a phase", instance.series);
      instances.push_back(std::move(one));
      offset = instance.next;
    }
    std::sort(instances.begin(), instances.end(),
              [](const model::Phase& a, const model::Phase& b) { return a.instance < b.instance; });
    std::move(instances.begin(), instances.end(), std::back_inserter(out->finished));
  }

  model::Phase row_of(std::string_view path, uint64_t number, uint64_t begin, uint64_t end) const {
    model::Phase one;
    one.path = path;
    one.instance = one.slowest = number;
    one.instances = 1;
    one.start_at_ns = clock_.at_ns(begin);
    one.end_at_ns = clock_.at_ns(end);
    one.time_ns = one.least_ns = one.most_ns = clock_.duration_ns(less(end, begin));
    return one;
  }

  /// Each thread's block once: the chain may be a ring.
  std::set<uint32_t> threads() const {
    std::set<uint32_t> found;
    ThreadBlock block;
    for (uint32_t offset = header_.first_thread; offset != 0 && bytes_.load(offset, &block); offset = block.next)
      if (!found.insert(offset).second) break;
    return found;
  }

  /// Sums of all threads, as begin and end of a phase see them. The blocks were claimed by their own readers.
  void read_process_sums() {
    for (const uint32_t offset : threads()) {
      ThreadBlock block;
      if (!bytes_.load(offset, &block)) return;
      for (uint32_t i = 0; i < kMaximumFunctions; ++i) add_profile(block.profiles[i], static_cast<uint16_t>(i));
      for (uint32_t page = 0; page < kLibraryPages; ++page) {
        LibraryProfiles profiles;
        if (block.libraries[page] == 0 || !bytes_.load(block.libraries[page], &profiles)) continue;
        for (uint32_t i = 0; i < kLibraryPage; ++i)
          add_profile(profiles.of[i], static_cast<uint16_t>((page * kLibraryPage + i) | kLibraryFunction));
      }
      for (uint32_t place = 0; place < kSystemLayers * 2; ++place)
        add_sizes(block.sizes[place / 2][place % 2].bins, place, &process_);
      add_thread_series(block);
    }
  }

  void add_profile(uint32_t offset, uint16_t function) {
    Profile profile;
    if (offset == 0 || !bytes_.load(offset, &profile)) return;
    add(process_.functions[function],
        {profile.calls, profile.errors, profile.bytes, profile.time, profile.inside, function, profile.direction, {}});
  }

  void add_sizes(uint32_t offset, uint32_t place, Sums* to) {
    FineSizes sizes;
    if (offset == 0 || !bytes_.load(offset, &sizes)) return;
    for (uint32_t bin = 0; bin < kFineSizes; ++bin)
      if (sizes.count[bin] != 0) to->sizes[{place, bin}] += sizes.count[bin];
  }

  void add_thread_series(const ThreadBlock& block) {
    PhaseSeries series;
    if (block.phase_series != 0 && bytes_.load(block.phase_series, &series)) thread_series_.push_back(series);
  }

  void read_open(uint32_t offset, Phases* out) {
    OpenPhase open;
    if (!bytes_.claim(offset, &open) || paths_.count(open.phase) == 0) return damage_.add("an open phase", offset);
    const uint64_t end = std::max(end_ticks_, open.begin);
    model::Phase one = row_of(paths_[open.phase], open.number, open.begin, end);
    one.ended = "process";
    one.cut = 1;
    Sums sums = process_;
    const Sums before = read_sums(open.functions, 0);
    for (const auto& [function, part] : before.functions) subtract(sums.functions[function], part);
    for (uint32_t place = 0; place < kSystemLayers * 2; ++place) {
      Sums part;
      add_sizes(open.sizes[place / 2][place % 2], place, &part);
      for (const auto& [key, count] : part.sizes) sums.sizes[key] = less(sums.sizes[key], count);
    }
    give(sums, &one);
    give_series(open.series, &one);
    // What threads counted since the latest boundary of a phase.
    for (const PhaseSeries& series : thread_series_)
      if (series.epoch == header_.stretch && series.epoch != 0) give_series(series, &one);
    out->open.push_back(std::move(one));
  }

  /// Sizes of the whole run, under no phase's name.
  void read_process_sizes(Phases* out) {
    Sums sums;
    for (const uint32_t offset : threads()) {
      ThreadBlock block;
      if (!bytes_.load(offset, &block)) break;
      for (uint32_t place = 0; place < kSystemLayers * 2; ++place)
        add_sizes(block.sizes[place / 2][place % 2].bins, place, &sums);
    }
    if (sums.sizes.empty()) return;
    model::Phase whole;
    give(sums, &whole);
    out->finished.push_back(std::move(whole));
  }

  SpoolBytes& bytes_;
  const Header& header_;
  const ClockMap& clock_;
  const uint64_t end_ticks_;
  DamageList& damage_;
  Sums process_;
  std::vector<PhaseSeries> thread_series_;
  std::map<uint32_t, std::string> paths_;
};

}  // namespace

Phases read_phases(SpoolBytes& bytes, const Header& header, const ClockMap& clock, uint64_t end_ticks,
                   DamageList& damage) {
  return PhaseReader(bytes, header, clock, end_ticks, damage).read();
}

}  // namespace headrace::capture
