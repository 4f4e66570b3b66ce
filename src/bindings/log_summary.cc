#include "bindings/log_summary.h"

#include <algorithm>
#include <initializer_list>
#include <map>

#include "base/hash.h"
#include "bindings/errors.h"
#include "bindings/frame_columns.h"
#include "bindings/log_summary_parts.h"

namespace headrace::bindings {
namespace {

const std::vector<std::string> kFileKinds = {"file", "directory_rollup", "directory"};
// With calls that are in no file, as headrace.analysis.kinds has them.
const std::vector<std::string> kTotalKinds = {"file", "directory_rollup", "directory", "no_file"};
const std::vector<std::string> kTopmost = {"topmost"};

void add_facts(Log& log, JobSummary& job) {
  const Frame frame = log.frame("job");
  const TextAt key(frame, "key"), value(frame, "value");
  std::map<std::string_view, uint64_t> last;
  for (uint64_t row = 0; row < frame.rows; ++row) last[key(row)] = row;
  for (const auto& [name, row] : last) job.facts.emplace_back(name, value(row));
}

void add_sizes(Log& log, JobSummary& job) {
  const int64_t there = layers_in(log);
  for (size_t layer = 0; layer < kSummaryLayers.size(); ++layer) {
    if (!(there >> layer & 1)) continue;
    const auto counts = log.histogram({{}, kFileKinds, {kSummaryLayers[layer]}, "program"});
    for (int64_t direction = 0; direction < 2; ++direction) {
      for (uint32_t b = 0; b < model::SizeHistogram::kBuckets; ++b) {
        const auto count = static_cast<int64_t>(counts[static_cast<size_t>(direction)].counts[b]);
        if (count > 0) job.sizes.push_back({static_cast<int64_t>(layer), direction, b, count});
      }
    }
  }
}

// What each process did, added up by rank.
class PerRank {
 public:
  PerRank(Log& log, const RankPlaces& ranks, JobSummary& job) : ranks_(ranks), job_(job), sums_(ranks.places.size()) {
    for (size_t i = 0; i < sums_.size(); ++i) sums_[i].place = ranks.places[i];
    const Frame by_process = merged_of_program(log, "process", kTopmost);
    const NumberAt process(by_process, "process"), read(by_process, "bytes_read"), written(by_process, "bytes_written"),
        read_ns(by_process, "read_ns"), write_ns(by_process, "write_ns"), meta_ns(by_process, "meta_ns");
    for (uint64_t row = 0; row < by_process.rows; ++row) {
      const auto id = static_cast<uint64_t>(process(row));
      const int64_t time = plus(read_ns(row), plus(write_ns(row), meta_ns(row)));
      const uint32_t at = ranks.of_image.find(id);
      if (at != IdMap::kNone) {
        add(at, time, read(row), written(row));
      } else if (ranks.stands_in.find(id) != IdMap::kNone) {
        unknown_ = true;
        add_bytes(ranks.program_of(id), read(row), written(row));
      } else {
        slowest_other_ = std::max(slowest_other_, time);
      }
    }
  }

  void finish(Log& log, const FileTimes& times) {
    std::sort(sums_.begin(), sums_.end(), [](const Sum& a, const Sum& b) { return a.place < b.place; });
    int64_t bytes = 0, time = 0;
    for (size_t i = 0; i < sums_.size(); ++i) {  // several images may be one rank, one after another
      bytes = plus(bytes, sums_[i].bytes);
      time = plus(time, sums_[i].time_ns);
      if (i + 1 < sums_.size() && sums_[i + 1].place == sums_[i].place) continue;
      add_rank(sums_[i].place, time, bytes);
      bytes = time = 0;
    }
    job_.slowest_ns = sums_.empty() ? slowest_other_ : slowest_of(job_.programs);
    if (unknown_) {
      job_.slowest_exact = 0;
      job_.slowest_ns = plus(most_of(log, times.by_path, times.alone), times.shared_ns);
    }
    if (job_.programs.size() == 1 && !sums_.empty())
      job_.estimated_ns = plus(most_of(log, times.by_path, times.apart), times.estimated_ns);
    finish_io_ranks();
    finish_programs();
  }

 private:
  struct Sum {
    RankPlaces::Place place{};
    int64_t time_ns = 0, bytes = 0;
  };

  void add(uint32_t at, int64_t time, int64_t read, int64_t written) {
    sums_[at].time_ns = plus(sums_[at].time_ns, time);
    sums_[at].bytes = plus(sums_[at].bytes, plus(read, written));
    add_bytes(ranks_.places[at].program, read, written);
  }

  void add_bytes(uint32_t at, int64_t read, int64_t written) {
    if (at == RankPlaces::kNoProgram) return;
    ProgramSummary& program = job_.programs[at];
    program.bytes_read = plus(program.bytes_read, read);
    program.bytes_written = plus(program.bytes_written, written);
  }

  void add_rank(RankPlaces::Place place, int64_t time, int64_t bytes) {
    ProgramSummary& program = job_.programs[place.program];
    program.slowest_ns = std::max(program.slowest_ns, time);
    if (bytes == 0) return;
    with_bytes_.push_back(place.rank);
    if (place.rank == 0) bytes_rank0_ = plus(bytes_rank0_, bytes);
  }

  // A rank of several programs is one: what matters is which of them a program leaves the work to.
  void finish_io_ranks() {
    if (unknown_ || sums_.empty()) return;
    std::sort(with_bytes_.begin(), with_bytes_.end());
    job_.io_rank_last = with_bytes_.empty() ? -1 : with_bytes_.back();
    job_.io_ranks = std::unique(with_bytes_.begin(), with_bytes_.end()) - with_bytes_.begin();
    job_.bytes_rank0 = bytes_rank0_;
  }

  // The time of the slowest rank in some files, as `headrace show` has it for Darshan's logs (agg_time_by_slowest).
  int64_t most_of(Log& log, const Frame& by_path, const std::vector<uint64_t>& rows) const {
    const Frame found = log.process_sums(by_path, rows, false);
    const NumberAt process(found, "process"), time(found, "time_ns");
    std::map<RankPlaces::Place, int64_t> sums;
    for (uint64_t row = 0; row < found.rows; ++row) {
      if (const auto* place = ranks_.find(static_cast<uint64_t>(process(row)))) {
        int64_t& sum = sums[*place];
        sum = plus(sum, time(row));
      }
    }
    int64_t most = 0;
    for (const auto& [rank, sum] : sums) most = std::max(most, sum);
    return most;
  }

  void finish_programs() {
    if (job_.programs.size() != 1) return;
    ProgramSummary& program = job_.programs[0];
    program.files = job_.files;
    program.bytes_read = job_.sums[3];
    program.bytes_written = job_.sums[4];
    program.slowest_ns = job_.slowest_ns;
  }

  const RankPlaces& ranks_;
  JobSummary& job_;
  std::vector<Sum> sums_;            // by place, in the end by rank
  std::vector<int64_t> with_bytes_;  // ranks that read or wrote some
  int64_t slowest_other_ = 0, bytes_rank0_ = 0;
  bool unknown_ = false;
};

void refuse_traces(Log& log) {
  const std::vector<std::string> tables = log.tables();
  const auto has = [&](const char* name) { return std::find(tables.begin(), tables.end(), name) != tables.end(); };
  if (!has("processes") && !has("files") && (has("references") || has("locations"))) {
    check({base::Code::kForeign, "a trace, and no job log"});
  }
}

}  // namespace

Frame merged_of_program(Log& log, const char* by, std::vector<std::string> layers) {
  const bool by_path = std::string_view(by) == "path";
  return log.merge(by, {{}, by_path ? kFileKinds : kTotalKinds, std::move(layers), "program"});
}

// Sums over the layers, directions and some logs of a job must have room in 64 bits.
class Limits {
 public:
  void counts(std::initializer_list<int64_t> values) { look(values, 0, kMostCounted); }
  void count_if_known(int64_t value) {
    if (value != kNull) counts({value});
  }
  void durations(std::initializer_list<int64_t> values) { look(values, 0, kMostTime); }
  /// Since the begin of the job, and some may be before it.
  void points(std::initializer_list<int64_t> values) { look(values, -kMostTime, kMostTime); }
  void sums(const SummarySums& sums) {
    counts({sums[0], sums[1], sums[2], sums[3], sums[4], sums[8]});
    durations({sums[5], sums[6], sums[7]});
  }
  bool exceeded() const { return exceeded_; }

 private:
  static constexpr int64_t kMostCounted = int64_t{1} << 60;  // bytes or calls: an exbibyte
  static constexpr int64_t kMostTime = int64_t{1} << 61;     // ns: a hundred thousand processes for six hours

  void look(std::initializer_list<int64_t> values, int64_t least, int64_t most) {
    for (const int64_t value : values) {
      if (value > most || value < least) exceeded_ = true;
    }
  }

  bool exceeded_ = false;
};

std::string impossible(const JobSummary& job) {
  Limits limits;
  limits.sums(job.sums);
  limits.count_if_known(job.bytes_rank0);
  limits.count_if_known(job.unaligned);
  limits.counts({job.files, job.bytes_unattributed, job.judged, job.sequential, job.consecutive, job.mpiio_operations,
                 job.mpiio_collective, job.processes, job.missing_ranks});
  limits.durations({job.slowest_ns, job.estimated_ns == kNull ? 0 : job.estimated_ns});
  limits.points({job.last_at_ns});
  for (const ProgramSummary& program : job.programs) {
    limits.counts({program.processes, program.bytes_read, program.bytes_written});
    limits.durations({program.slowest_ns});
    limits.points({program.start_at_ns, program.end_at_ns});
  }
  for (const FileSummary& file : job.by_file) {
    limits.sums(file.sums);
    limits.count_if_known(file.unaligned);
    limits.counts({file.folded, file.sequential, file.consecutive, file.mpiio_operations, file.mpiio_collective,
                   file.ranks, file.extent});
    limits.points({file.first_open_at_ns, file.last_io_at_ns});
  }
  for (const auto& size : job.sizes) limits.counts({size[3]});
  return limits.exceeded() ? "has a counter of less than 0 or more than 2^60, or a time of more than 2^61 ns, which no "
                             "job has: it is damaged"
                           : "";
}

JobSummary summarize(Log& log, Content content, uint64_t job) {
  JobSummary summary;
  summary.content = content;
  summary.id = base::mix(content.id, job);
  summary.bytes = log.size();
  refuse_traces(log);
  add_facts(log, summary);
  RankPlaces ranks;
  summarize_processes(log.frame("processes"), summary, ranks);
  const FileTimes times = summarize_files(log, ranks, summary);
  PerRank(log, ranks, summary).finish(log, times);
  add_sizes(log, summary);
  summary.closed = log.closed();
  for (const format::Damage& damage : log.damage()) summary.damaged_bytes += static_cast<int64_t>(damage.bytes);
  return summary;
}

}  // namespace headrace::bindings
