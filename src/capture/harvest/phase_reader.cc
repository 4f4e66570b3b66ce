#include "capture/harvest/phase_reader.h"

#include <algorithm>
#include <map>
#include <utility>

#include "capture/harvest/function_names.h"
#include "capture/harvest/phase_sums_reader.h"
#include "capture/harvest/remainder.h"
#include "model/size_bins.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kLargestPhaseShift = 55;
constexpr std::string_view kFlowNames[kFlows] = {"read", "write", "message"};
constexpr std::string_view kEnds[] = {"end", "outer", "thread"};

class PhaseReader {
 public:
  PhaseReader(SpoolBytes& bytes, const Header& header, const ClockMap& clock, uint64_t end_ticks, DamageList& damage)
      : bytes_(bytes),
        header_(header),
        clock_(clock),
        end_ticks_(end_ticks),
        damage_(damage),
        sums_(bytes, header, damage) {}

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
      process_ = sums_.of_process();
      read_thread_series();
      for (uint32_t i = 0; i < count; ++i) read_open(header_.open_phases[i], &out);
    }
    return out;
  }

 private:
  struct Known {
    std::string path;
    uint64_t unfinished;  // instances
  };

  /// A copy of a running process may have the list of open phases from before one's end and the rest from after it.
  static bool is_finished(const std::string& path, uint64_t number, const Phases& phases) {
    return std::any_of(phases.finished.begin(), phases.finished.end(),
                       [&](const model::Phase& p) { return p.instance == number && p.path == path; });
  }

  /// Ticks to nanoseconds, functions to their names.
  void give(const PhaseSums& sums, model::Phase* out) {
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
    if (series.shift > kLargestPhaseShift) return damage_.add("the width of a phase's series", series.shift);
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
    known_[offset] = {std::string(path), less(phase.begun, phase.finished)};
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
    give(sums_.read(phase.functions, phase.sizes), &all);
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
      give(sums_.read(instance.functions, instance.sizes), &one);
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

  void read_thread_series() {
    for (const uint32_t offset : sums_.threads()) {
      ThreadBlock block;
      PhaseSeries series;
      if (bytes_.load(offset, &block) && block.phase_series != 0 && bytes_.load(block.phase_series, &series))
        thread_series_.push_back(series);
    }
  }

  void read_open(uint32_t offset, Phases* out) {
    OpenPhase open;
    if (!bytes_.claim(offset, &open) || known_.count(open.phase) == 0) return damage_.add("an open phase", offset);
    Known& phase = known_.at(open.phase);
    if (phase.unfinished == 0 || is_finished(phase.path, open.number, *out)) return;
    phase.unfinished--;
    const uint64_t end = std::max(end_ticks_, open.begin);
    model::Phase one = row_of(phase.path, open.number, open.begin, end);
    one.ended = "process";
    one.cut = 1;
    PhaseSums sums = process_;
    sums.subtract(sums_.at_begin(open));
    give(sums, &one);
    give_series(open.series, &one);
    // What threads counted since the latest boundary of a phase.
    for (const PhaseSeries& series : thread_series_)
      if (series.epoch == header_.stretch && series.epoch != 0) give_series(series, &one);
    out->open.push_back(std::move(one));
  }

  /// Sizes of the whole run, under no phase's name.
  void read_process_sizes(Phases* out) {
    const PhaseSums sums = sums_.sizes_of_process();
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
  PhaseSumsReader sums_;
  PhaseSums process_;
  std::vector<PhaseSeries> thread_series_;
  std::map<uint32_t, Known> known_;
};

}  // namespace

Phases read_phases(SpoolBytes& bytes, const Header& header, const ClockMap& clock, uint64_t end_ticks,
                   DamageList& damage) {
  return PhaseReader(bytes, header, clock, end_ticks, damage).read();
}

}  // namespace headrace::capture
