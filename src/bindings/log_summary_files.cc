#include <algorithm>
#include <map>
#include <string_view>

#include "base/hash.h"
#include "bindings/frame_columns.h"
#include "bindings/log_summary_parts.h"
#include "model/counters.h"

namespace headrace::bindings {
namespace {

constexpr const char* kSums[] = {"opens",   "reads",    "writes",  "bytes_read", "bytes_written",
                                 "read_ns", "write_ns", "meta_ns", "seeks"};
// Of the topmost layer; opens and seeks are the system's.
constexpr bool is_figure(size_t sum) { return sum != 0 && sum != 8; }
constexpr int64_t kPosix = 1, kStdio = 2, kMpiio = 4;

// What POSIX counts of a file, or of a job.
class Regularity {
 public:
  explicit Regularity(const Frame& frame)
      : consecutive_{{frame, "reads_consecutive"}, {frame, "writes_consecutive"}},
        forward_{{frame, "reads_forward"}, {frame, "writes_forward"}},
        unaligned_{{frame, "reads_unaligned_file"}, {frame, "writes_unaligned_file"}},
        flags_(frame, "flags") {}

  template <typename Row>
  void add(uint64_t row, Row& into) const {
    const int64_t consecutive = plus(consecutive_[0](row), consecutive_[1](row));
    into.consecutive = plus(into.consecutive, consecutive);
    into.sequential = plus(into.sequential, plus(consecutive, plus(forward_[0](row), forward_[1](row))));
    const bool known = (static_cast<uint64_t>(flags_(row)) & model::flag::alignment_not_recorded) == 0;
    if (!known || into.unaligned == kNull) {
      into.unaligned = kNull;
    } else {
      // A damaged counter may be what stands for null: it stays one that no job has.
      into.unaligned = std::max(plus(into.unaligned, plus(unaligned_[0](row), unaligned_[1](row))), kNull + 1);
    }
  }

 private:
  NumberAt consecutive_[2], forward_[2], unaligned_[2], flags_;
};

class Collectives {
 public:
  explicit Collectives(const Frame& frame)
      : all_{{frame, "reads"}, {frame, "writes"}},
        collective_{{frame, "reads_collective"}, {frame, "writes_collective"}} {}

  template <typename Row>
  void add(uint64_t row, Row& into) const {
    into.mpiio_operations = plus(into.mpiio_operations, plus(all_[0](row), all_[1](row)));
    into.mpiio_collective = plus(into.mpiio_collective, plus(collective_[0](row), collective_[1](row)));
  }

 private:
  NumberAt all_[2], collective_[2];
};

// Rows of a frame by path; of several rows of a path the first.
using RowOfPath = std::map<std::string_view, uint64_t>;

RowOfPath rows_of(const Frame& frame) {
  RowOfPath rows;
  const TextAt path(frame, "path");
  for (uint64_t row = 0; row < frame.rows; ++row) rows.emplace(path(row), row);
  return rows;
}

// The layers of a job's files, each merged by path; those that the log has no records of are empty.
struct Layers {
  Frame system, posix_alone, mpiio, hdf5, pnetcdf;
  Frame of_topmost;            // of each file its topmost layer, where libraries have any
  bool same = false;           // all system calls are of POSIX
  bool has_libraries = false;  // else the system's are topmost
  const Frame& posix() const { return same ? system : posix_alone; }
  const Frame& topmost() const { return has_libraries ? of_topmost : system; }
};

Layers layers_of(Log& log) {
  const int64_t there = layers_in(log);
  const auto merged = [&](int64_t bits, std::vector<std::string> names) {
    return there & bits ? merged_of_program(log, "path", std::move(names)) : Frame{};
  };
  Layers layers;
  layers.system = merged(kPosix | kStdio, {"posix", "stdio"});
  layers.same = !(there & kStdio);
  if (!layers.same) layers.posix_alone = merged(kPosix, {"posix"});
  layers.mpiio = merged(kMpiio, {"mpiio"});
  layers.hdf5 = merged(8, {"hdf5"});
  layers.pnetcdf = merged(16, {"pnetcdf"});
  layers.has_libraries = (there & ~(kPosix | kStdio)) != 0;
  if (layers.has_libraries) layers.of_topmost = merged_of_program(log, "path", {"topmost"});
  return layers;
}

// A file with a row of its own may be in a roll-up as well, by another process: counted over all rows at once.
int64_t files_of(Log& log, const Layers& layers) {
  const auto counted = [](const Frame& frame) {
    return plus(NumberAt(frame, "plain_files").sum(frame.rows), NumberAt(frame, "folded_files").sum(frame.rows));
  };
  const Frame& top = layers.topmost();
  if (NumberAt(top, "folded_files").sum(top.rows) == 0) return counted(top);
  return counted(merged_of_program(
      log, "all",
      layers.has_libraries ? std::vector<std::string>{"topmost"} : std::vector<std::string>{"posix", "stdio"}));
}

void add_totals(Log& log, const Layers& layers, JobSummary& job) {
  const Frame &top = layers.topmost(), &system = layers.system, &posix = layers.posix();
  const Frame none_on_top = log.merge("all", {{}, {"no_file"}, {"topmost"}, ""}),
              none_of_system = log.merge("all", {{}, {"no_file"}, {"posix", "stdio"}, ""});
  for (size_t i = 0; i < std::size(kSums); ++i) {
    const Frame& frame = is_figure(i) ? top : system;
    const Frame& none = is_figure(i) ? none_on_top : none_of_system;
    job.sums[i] = plus(NumberAt(frame, kSums[i]).sum(frame.rows), NumberAt(none, kSums[i]).sum(none.rows));
  }
  const auto both = [](const Frame& frame, const char* one, const char* other) {
    return plus(NumberAt(frame, one).sum(frame.rows), NumberAt(frame, other).sum(frame.rows));
  };
  job.files = files_of(log, layers);
  job.judged = both(posix, "reads", "writes");
  const Regularity regularity(posix);
  for (uint64_t row = 0; row < posix.rows; ++row) regularity.add(row, job);
  const Collectives collectives(layers.mpiio);
  for (uint64_t row = 0; row < layers.mpiio.rows; ++row) collectives.add(row, job);
  const auto opens = [](const Frame& frame) { return NumberAt(frame, "opens").sum(frame.rows); };
  const int64_t of_posix = opens(posix);
  const bool used[] = {of_posix > 0, job.sums[0] > of_posix, opens(layers.mpiio) > 0, opens(layers.hdf5) > 0,
                       opens(layers.pnetcdf) > 0};
  for (size_t i = 0; i < std::size(used); ++i) job.uses |= int64_t{used[i]} << i;
}

// For each row of `topmost` that of the same path and kind in `system`, or kNone.
std::vector<uint32_t> system_rows(const Layers& layers) {
  const auto key = [](const Frame& frame) {
    return [path = TextAt(frame, "path"), kind = TextAt(frame, "kind")](uint64_t row) {
      return base::mix(base::hash_text(path(row)), base::hash_text(kind(row)));
    };
  };
  const auto of_system = key(layers.system), of_top = key(layers.topmost());
  IdMap known(layers.system.rows);
  for (uint64_t row = 0; row < layers.system.rows; ++row) known.insert(of_system(row), static_cast<uint32_t>(row));
  std::vector<uint32_t> rows;
  for (uint64_t row = 0; row < layers.topmost().rows; ++row) rows.push_back(known.find(of_top(row)));
  return rows;
}

// A column of the system's calls, by row of `topmost`; of a file that they do not have, the library's.
class SystemAt {
 public:
  SystemAt(const Frame& system, const Frame& topmost, const std::vector<uint32_t>& rows, const char* column)
      : system_(system, column), topmost_(topmost, column), rows_(rows) {}
  int64_t operator()(uint64_t row) const { return rows_[row] == IdMap::kNone ? topmost_(row) : system_(rows_[row]); }

 private:
  NumberAt system_, topmost_;
  const std::vector<uint32_t>& rows_;
};

// Which programs a file is of, by the processes that wrote its records.
class Owners {
 public:
  Owners(Log& log, const RankPlaces& ranks, const JobSummary& job) : ranks_(ranks), several_(job.programs.size() > 1) {
    const SharedTable table = several_ ? log.table("files") : nullptr;
    if (!table) return;
    processes_ = numbers(table, table->find("process"), table->rows);
    const Values records = numbers(table, table->find("record"), table->rows);
    for (uint64_t row = 0; row < table->rows; ++row) {
      row_of_.insert(records.words[row], static_cast<uint32_t>(row));
    }
  }

  /// Replaces `programs`: each once. What launchers and the like used alone is of none.
  void programs_of(const Frame& by_path, uint64_t row, std::vector<uint32_t>& programs) const {
    programs.clear();
    if (!several_) return programs.push_back(0);
    for (uint64_t r = by_path.record_starts[row]; r < by_path.record_starts[row + 1]; ++r) {
      const uint32_t at = row_of_.find(by_path.records[r]);
      const uint32_t program = at == IdMap::kNone ? RankPlaces::kNoProgram : ranks_.program_of(processes_.words[at]);
      if (program == RankPlaces::kNoProgram) continue;
      if (std::find(programs.begin(), programs.end(), program) == programs.end()) programs.push_back(program);
    }
  }

 private:
  const RankPlaces& ranks_;
  bool several_;
  Values processes_;
  IdMap row_of_;
};

class SummaryFiles {
 public:
  SummaryFiles(Log& log, const RankPlaces& ranks, JobSummary& job, const Layers& layers)
      : job_(job),
        layers_(layers),
        by_path_(layers.topmost()),
        system_(layers.system),
        system_rows_(system_rows(layers)),
        ranks_(log.rank_statistics(by_path_)),
        opened_(log.first_opens(by_path_)),
        opened_in_system_(log.first_opens(system_)),
        mounts_(log.frame("mounts")),
        owners_(log, ranks, job) {
    for (const char* sum : kSums) {
      sums_.emplace_back(by_path_, sum);
      system_sums_.emplace_back(system_, by_path_, system_rows_, sum);
    }
    const NumberAt mount(mounts_, "mount");
    for (uint64_t row = 0; row < mounts_.rows; ++row) {
      mount_rows_.insert(static_cast<uint64_t>(mount(row)), static_cast<uint32_t>(row));
    }
    if (!layers.same) posix_rows_ = rows_of(layers.posix_alone);
    if (job.uses & kMpiio) mpiio_rows_ = rows_of(layers.mpiio);
    // The highest library first.
    for (const auto& [bit, frame] :
         {std::pair(3, &layers.hdf5), std::pair(4, &layers.pnetcdf), std::pair(2, &layers.mpiio)}) {
      const TextAt path(*frame, "path");
      if (!(job.uses >> bit & 1)) continue;
      for (uint64_t r = 0; r < frame->rows; ++r) libraries_.emplace(path(r), kSummaryLayers[static_cast<size_t>(bit)]);
    }
    for (const auto& [key, value] : job.facts) flags_known_ = flags_known_ && key != "darshan_job_id";
  }

  void run(FileTimes& times) {
    for (uint64_t row = 0; row < by_path_.rows; ++row) {
      add_time(row, times);
      if (kind_(row) != "directory") add(row);
    }
  }

 private:
  void add(uint64_t row) {
    FileSummary& file = job_.by_file.emplace_back();
    file.path = path_(row);
    for (size_t i = 0; i < sums_.size(); ++i) file.sums[i] = is_figure(i) ? sums_[i](row) : system_sums_[i](row);
    if (layers_.same) {
      regularity_.add(row, file);
    } else if (const auto at = posix_rows_.find(file.path); at != posix_rows_.end()) {
      regularity_.add(at->second, file);
    }
    if (const auto at = mpiio_rows_.find(file.path); at != mpiio_rows_.end()) collectives_.add(at->second, file);
    const auto library = libraries_.find(file.path);
    file.interface = library != libraries_.end() ? library->second : layer_(row) == "stdio" ? "stdio" : "posix";
    if (const uint32_t at = mount_rows_.find(static_cast<uint64_t>(mount_(row))); at != IdMap::kNone) {
      file.mount = point_(at);
      file.file_system = type_(at);
    }
    who(row, file);
    state(row, file);
    if (file.sums[1] > 0 || file.sums[2] > 0 || file.created == 1) job_.direct |= bit_of(file.interface);
    owners_.programs_of(by_path_, row, programs_);
    if (programs_.size() == 1) file.instance = programs_[0];
    for (const uint32_t program : programs_) {
      int64_t& files = job_.programs[program].files;
      files = plus(files, plus(plain_(row), folded_(row)));
    }
  }

  // The time of the slowest rank in a file whose ranks are one record; where nobody knows it, that between its first
  // open and its last read or write, which the estimate takes for each file that all ranks share.
  void add_time(uint64_t row, FileTimes& times) const {
    const bool reduced = reduced_(row) != 0, shared = strategy_(row) == "shared";
    const int64_t slowest = reduced && reduced_slowest_(row) >= 0 ? reduced_slowest_(row) : elapsed(row);
    if (shared || reduced) {
      times.estimated_ns = plus(times.estimated_ns, shared ? elapsed(row) : slowest);
    } else {
      times.apart.push_back(row);
    }
    if (shared && !reduced) {
      times.shared_ns = plus(times.shared_ns, time_most_(row));
      return;
    }
    times.alone.push_back(row);
    if (reduced) times.shared_ns = plus(times.shared_ns, slowest);
  }

  int64_t elapsed(uint64_t row) const {
    const int64_t first = first_open_(row);
    return first > 0 ? std::max<int64_t>(0, plus(last_io(row), -first)) : 0;
  }

  static int64_t bit_of(std::string_view layer) {
    const auto found = std::find(kSummaryLayers.begin(), kSummaryLayers.end(), layer);
    return int64_t{1} << (found - kSummaryLayers.begin());
  }

  void who(uint64_t row, FileSummary& file) const {
    const std::string_view strategy = strategy_(row);
    if (strategy.empty()) {
      file.ranks = processes_(row);
      file.sharing = file.ranks <= 1 ? "unique" : file.ranks >= job_.processes ? "shared" : "partial";
      return;
    }
    file.ranks = rank_count_(row);
    file.sharing = strategy == "unique" ? "unique" : strategy == "shared" ? "shared" : "partial";
    if (strategy == "unique") file.rank = slowest_rank_(row);
  }

  void state(uint64_t row, FileSummary& file) const {
    const bool sized = size_known_(row) != 0, held = sized && size_(row) > 0;
    const auto flags = static_cast<uint64_t>(flags_(row));
    const bool made = (flags & model::flag::created) != 0, emptied = (flags & model::flag::truncated) != 0;
    if (kind_(row) == "file") {
      if (flags_known_ && (sized || !made)) file.created = made && !held;
      if (sized || emptied) file.is_new = !held;
    }
    file.extent = std::max({read_end_(row), write_end_(row), sized ? size_(row) : 0});
    file.first_open_at_ns = first_open_(row);
    file.last_io_at_ns = last_io(row);
    file.folded = folded_(row);
  }

  int64_t last_io(uint64_t row) const { return std::max(last_read_(row), last_write_(row)); }

  JobSummary& job_;
  const Layers& layers_;
  const Frame &by_path_, &system_;
  const std::vector<uint32_t> system_rows_;
  const Frame ranks_, opened_, opened_in_system_, mounts_;
  const Owners owners_;
  bool flags_known_ = true;  // Darshan's logs do not say how files were opened
  std::vector<NumberAt> sums_;
  std::vector<SystemAt> system_sums_;
  RowOfPath posix_rows_, mpiio_rows_;
  std::map<std::string_view, const char*> libraries_;  // by path: the highest one that used the file
  IdMap mount_rows_;
  std::vector<uint32_t> programs_;  // of the file in hand
  const Regularity regularity_{layers_.posix()};
  const Collectives collectives_{layers_.mpiio};
  SystemAt of_system(const char* column) const { return {system_, by_path_, system_rows_, column}; }
  SystemAt of_open(const char* column) const { return {opened_in_system_, opened_, system_rows_, column}; }
  const TextAt path_{by_path_, "path"}, kind_{by_path_, "kind"}, layer_{by_path_, "layers"};
  const NumberAt processes_{by_path_, "processes"};
  const SystemAt mount_ = of_system("mount"), read_end_ = of_system("read_end"), write_end_ = of_system("write_end"),
                 first_open_ = of_system("first_open_at_ns"), last_read_ = of_system("last_read_at_ns"),
                 last_write_ = of_system("last_write_at_ns"), folded_ = of_system("folded_files"),
                 plain_ = of_system("plain_files");
  const TextAt strategy_{ranks_, "strategy"};
  const NumberAt rank_count_{ranks_, "ranks"}, slowest_rank_{ranks_, "slowest_rank"}, reduced_{ranks_, "reduced"},
      reduced_slowest_{ranks_, "reduced_slowest_ns"}, time_most_{ranks_, "time_most_ns"};
  const SystemAt size_ = of_open("size"), size_known_ = of_open("size_known"), flags_ = of_open("flags");
  const TextAt point_{mounts_, "point"}, type_{mounts_, "type"};
};

}  // namespace

int64_t layers_in(Log& log) {
  const SharedTable files = log.table("files");
  if (!files) return 0;
  const format::Column* layer = files->find("layer");
  if (!layer || layer->type != format::Type::kText) return files->rows > 0 ? kPosix : 0;
  int64_t found = 0;
  const uint64_t different = layer->constant ? std::min<uint64_t>(files->rows, 1) : files->rows;
  for (uint64_t row = 0; row < different; ++row) {
    const std::string_view name = layer->text(row);
    if (name.empty()) found |= kPosix;
    for (size_t i = 0; i < kSummaryLayers.size(); ++i) {
      if (name == kSummaryLayers[i]) found |= int64_t{1} << i;
    }
  }
  return found;
}

FileTimes summarize_files(Log& log, const RankPlaces& ranks, JobSummary& job) {
  Layers layers = layers_of(log);
  add_totals(log, layers, job);
  FileTimes times;
  SummaryFiles(log, ranks, job, layers).run(times);
  times.by_path = std::move(layers.has_libraries ? layers.of_topmost : layers.system);
  return times;
}

}  // namespace headrace::bindings
