#include "bindings/log_summary.h"

#include <algorithm>
#include <set>

#include "base/hash.h"
#include "bindings/errors.h"
#include "model/counters.h"

namespace headrace::bindings {
namespace {

const std::vector<std::string> kFileKinds = {"file", "directory_rollup", "directory"};
const std::vector<std::string> kSystem = {"posix", "stdio"};
constexpr const char* kLayers[] = {"posix", "stdio", "mpiio", "hdf5", "pnetcdf"};
constexpr const char* kSums[] = {"opens",   "reads",    "writes",  "bytes_read", "bytes_written",
                                 "read_ns", "write_ns", "meta_ns", "seeks"};

uint64_t flag(std::string_view name) {
  for (const model::FlagInfo& info : model::kFlags) {
    if (info.name == name) return uint64_t{1} << info.bit;
  }
  return 0;
}

// Times of wrong clocks are negative, as everywhere.
int64_t number(const Frame& frame, std::string_view column, uint64_t row) {
  return static_cast<int64_t>(frame.number(column, row));
}

std::string text(const Frame& frame, std::string_view column, uint64_t row) {
  const Values* values = frame.find(column);
  return values && values->offsets ? std::string(values->text(row)) : std::string();
}

int64_t io_ns(const Frame& frame, uint64_t row) {
  return number(frame, "read_ns", row) + number(frame, "write_ns", row) + number(frame, "meta_ns", row);
}

// The processes of a job, and what each did.
class Reading {
 public:
  Reading(Log& log, JobSummary& job) : log_(log), job_(job) {}

  void run() {
    facts();
    processes();
    totals();
    files();
    per_process();
    sizes();
    job_.closed = log_.closed();
    for (const format::Damage& damage : log_.damage()) job_.damaged_bytes += static_cast<int64_t>(damage.bytes);
  }

 private:
  Frame merged(const char* by, const std::vector<std::string>& layers, std::vector<uint64_t> processes = {}) {
    return log_.merge(by, {std::move(processes), kFileKinds, layers, "program"});
  }

  void facts() {
    const Frame frame = log_.frame("job");
    std::map<std::string, std::string> last;
    for (uint64_t row = 0; row < frame.rows; ++row) last[text(frame, "key", row)] = text(frame, "value", row);
    job_.facts.assign(last.begin(), last.end());
  }

  void processes() {
    const std::vector<std::string> tables = log_.tables();
    const auto has = [&](const char* name) { return std::find(tables.begin(), tables.end(), name) != tables.end(); };
    if (!has("processes") && !has("files") && (has("references") || has("locations"))) {
      check({base::Code::kForeign, "a trace, and no job log"});
    }
    const Frame frame = log_.frame("processes");
    std::map<uint64_t, uint32_t> place;  // of an instance
    std::map<uint64_t, std::set<int64_t>> found;
    std::map<std::string, uint64_t> hosts;
    std::set<std::pair<std::string, int64_t>> pids;
    std::map<std::string, uint64_t> executables;
    for (uint64_t row = 0; row < frame.rows; ++row) {
      const int64_t rank = number(frame, "rank", row), ranks = number(frame, "ranks", row);
      const uint64_t id = frame.number("process", row);
      if (rank < 0 && ranks > 0) {
        standing_.insert(id);
        continue;
      }
      const std::string host = text(frame, "host", row);
      if (!host.empty()) ++hosts[host];
      pids.emplace(host, number(frame, "pid", row));
      const int64_t start = number(frame, "start_at_ns", row), end = number(frame, "end_at_ns", row);
      job_.last_at_ns = std::max({job_.last_at_ns, start, end});
      job_.bytes_unattributed += number(frame, "unattributed_bytes", row);
      ++executables[text(frame, "executable", row)];
      if (rank < 0) continue;
      const uint64_t instance = frame.number("instance", row);
      const auto [known, first] = place.emplace(instance, static_cast<uint32_t>(job_.programs.size()));
      if (first) job_.programs.push_back({.start_at_ns = static_cast<uint64_t>(start)});
      ProgramSummary& program = job_.programs[known->second];
      if (first) program.executable = text(frame, "executable", row);
      if (!host.empty()) ++program.hosts[host];
      program.members.push_back(id);
      program.start_at_ns = std::min(program.start_at_ns, static_cast<uint64_t>(start));
      program.end_at_ns = std::max(program.end_at_ns, static_cast<uint64_t>(end));
      program.processes = std::max(program.processes, static_cast<uint64_t>(std::max<int64_t>(0, ranks)));
      found[instance].insert(rank);
      rank_of_[id] = {known->second, rank};
    }
    for (const auto& [instance, index] : place) {
      ProgramSummary& program = job_.programs[index];
      const uint64_t known = found[instance].size();
      if (known < program.processes) job_.missing_ranks += static_cast<int64_t>(program.processes - known);
      program.processes = std::max(program.processes, known);
      job_.processes += static_cast<int64_t>(program.processes);
      job_.ranks = std::max(job_.ranks, static_cast<int64_t>(program.processes));
    }
    if (job_.programs.empty()) job_.processes = static_cast<int64_t>(pids.size());
    if (!hosts.empty()) job_.nodes = static_cast<int64_t>(hosts.size());
    choose_executable(executables);
    if (job_.programs.empty()) {
      job_.programs.push_back({.executable = job_.executable,
                               .hosts = hosts,
                               .processes = pids.size(),
                               .end_at_ns = static_cast<uint64_t>(job_.last_at_ns)});
    }
  }

  void choose_executable(const std::map<std::string, uint64_t>& executables) {
    uint64_t most = 0;
    for (const ProgramSummary& program : job_.programs) {
      if (program.processes > most) job_.executable = program.executable;
      most = std::max(most, program.processes);
    }
    if (most > 0) return;
    for (const auto& [name, count] : executables) {
      if (count > most) job_.executable = name;
      most = std::max(most, count);
    }
  }

  void totals() {
    const Frame all = merged("all", kSystem), posix = merged("all", {"posix"}), mpiio = merged("all", {"mpiio"});
    for (size_t i = 0; i < std::size(kSums); ++i) job_.sums[i] = number(all, kSums[i], 0);
    job_.files = number(all, "plain_files", 0) + number(all, "folded_files", 0);
    judge(posix, 0, job_);
    job_.judged = number(posix, "reads", 0) + number(posix, "writes", 0);
    collect(mpiio, 0, job_);
    for (size_t i = 0; i < std::size(kLayers); ++i) {
      if (number(i == 0 ? posix : i == 2 ? mpiio : merged("all", {kLayers[i]}), "opens", 0) > 0) {
        job_.uses |= int64_t{1} << i;
      }
    }
  }

  template <typename Row>
  static void judge(const Frame& posix, uint64_t row, Row& into) {
    into.consecutive = number(posix, "reads_consecutive", row) + number(posix, "writes_consecutive", row);
    into.sequential = into.consecutive + number(posix, "reads_forward", row) + number(posix, "writes_forward", row);
    into.unaligned = number(posix, "reads_unaligned_file", row) + number(posix, "writes_unaligned_file", row);
  }

  template <typename Row>
  static void collect(const Frame& mpiio, uint64_t row, Row& into) {
    into.mpiio_operations = number(mpiio, "reads", row) + number(mpiio, "writes", row);
    into.mpiio_collective = number(mpiio, "reads_collective", row) + number(mpiio, "writes_collective", row);
  }

  void files() {
    const Frame by_path = merged("path", kSystem);
    const Frame ranks = log_.rank_statistics(by_path), opened = log_.first_opens(by_path);
    std::map<std::string, std::pair<int, uint64_t>> above;  // by path: the highest library, and its row of mpiio
    std::map<std::string, uint64_t> of_mpiio, of_posix;
    const Frame mpiio = merged("path", {"mpiio"}), posix = merged("path", {"posix"});
    rows_by_path(posix, of_posix);
    if (job_.uses & 4) rows_by_path(mpiio, of_mpiio);
    for (const auto& [path, row] : of_mpiio) above[path] = {2, row};
    for (const int layer : {4, 3}) {
      std::map<std::string, uint64_t> paths;
      if (job_.uses >> layer & 1) rows_by_path(merged("path", {kLayers[layer]}), paths);
      for (const auto& [path, row] : paths) above[path] = {layer, row};
    }
    const Frame mounts = log_.frame("mounts");
    std::map<uint64_t, uint64_t> mount_row;
    for (uint64_t row = 0; row < mounts.rows; ++row) mount_row.emplace(mounts.number("mount", row), row);
    const std::map<uint64_t, uint64_t> owner = record_owners_of();
    for (uint64_t row = 0; row < by_path.rows; ++row) {
      const std::string kind = text(by_path, "kind", row);
      shared_slowest_ += shared_time(by_path, ranks, row);
      if (kind == "directory") continue;
      FileSummary file{.path = text(by_path, "path", row)};
      for (size_t i = 0; i < std::size(kSums); ++i) file.sums[i] = number(by_path, kSums[i], row);
      if (const auto at = of_posix.find(file.path); at != of_posix.end()) judge(posix, at->second, file);
      if (const auto at = of_mpiio.find(file.path); at != of_mpiio.end()) collect(mpiio, at->second, file);
      const auto library = above.find(file.path);
      file.interface = library != above.end()                    ? kLayers[library->second.first]
                       : text(by_path, "layers", row) == "stdio" ? "stdio"
                                                                 : "posix";
      if (const auto at = mount_row.find(by_path.number("mount", row)); at != mount_row.end()) {
        file.mount = text(mounts, "point", at->second);
        file.file_system = text(mounts, "type", at->second);
      }
      who(by_path, ranks, row, file);
      state(by_path, opened, row, kind, file);
      file.instance = instance_of(by_path, row, owner);
      job_.by_file.push_back(std::move(file));
    }
  }

  static void rows_by_path(const Frame& frame, std::map<std::string, uint64_t>& into) {
    for (uint64_t row = 0; row < frame.rows; ++row) into.emplace(text(frame, "path", row), row);
  }

  // The time of the slowest rank in a file whose ranks are one record; where nobody knows it, that between its first
  // open and its last read or write.
  int64_t shared_time(const Frame& by_path, const Frame& ranks, uint64_t row) {
    if (number(ranks, "reduced", row) == 0) {
      if (text(ranks, "strategy", row) != "shared")
        alone_.push_back(row);
      else
        shared_exact_ += number(ranks, "time_most_ns", row);
      return 0;
    }
    alone_.push_back(row);
    reduced_ = true;
    const int64_t slowest = number(ranks, "reduced_slowest_ns", row);
    if (slowest >= 0) return slowest;
    const int64_t first = number(by_path, "first_open_at_ns", row);
    const int64_t last = std::max(number(by_path, "last_read_at_ns", row), number(by_path, "last_write_at_ns", row));
    return first > 0 ? std::max<int64_t>(0, last - first) : 0;
  }

  void who(const Frame& by_path, const Frame& ranks, uint64_t row, FileSummary& file) const {
    const std::string strategy = text(ranks, "strategy", row);
    file.ranks = strategy.empty() ? number(by_path, "processes", row) : number(ranks, "ranks", row);
    if (strategy.empty()) {
      file.sharing = file.ranks <= 1 ? "unique" : file.ranks >= job_.processes ? "shared" : "partial";
    } else {
      file.sharing = strategy == "unique" ? "unique" : strategy == "shared" ? "shared" : "partial";
      if (strategy == "unique") file.rank = number(ranks, "slowest_rank", row);
    }
  }

  static void state(const Frame& by_path, const Frame& opened, uint64_t row, const std::string& kind,
                    FileSummary& file) {
    static const uint64_t created = flag("created"), truncated = flag("truncated");
    const bool known = number(opened, "size_known", row) != 0;
    const bool held = known && number(opened, "size", row) > 0;
    const uint64_t flags = opened.number("flags", row);
    if (kind == "file" && (known || !(flags & created))) file.created = (flags & created) && !held;
    if (kind == "file" && (known || flags & truncated)) file.is_new = !held;
    file.extent = std::max(
        {number(by_path, "read_end", row), number(by_path, "write_end", row), known ? number(opened, "size", row) : 0});
    file.first_open_at_ns = number(by_path, "first_open_at_ns", row);
    file.last_io_at_ns = std::max(number(by_path, "last_read_at_ns", row), number(by_path, "last_write_at_ns", row));
    file.folded = number(by_path, "folded_files", row);
  }

  std::map<uint64_t, uint64_t> record_owners_of() {
    std::map<uint64_t, uint64_t> owner;
    if (job_.programs.size() < 2) return owner;
    const SharedTable table = log_.table("files");
    if (!table) return owner;
    const Values process = numbers(table, table->find("process"), table->rows);
    const Values record = numbers(table, table->find("record"), table->rows);
    for (uint64_t row = 0; row < table->rows; ++row) owner.emplace(record.words[row], process.words[row]);
    return owner;
  }

  int64_t instance_of(const Frame& by_path, uint64_t row, const std::map<uint64_t, uint64_t>& owner) const {
    if (job_.programs.size() < 2) return 0;
    int64_t found = -2;
    for (uint64_t r = by_path.record_starts[row]; r < by_path.record_starts[row + 1]; ++r) {
      const auto process = owner.find(by_path.records[r]);
      const auto rank = process == owner.end() ? rank_of_.end() : rank_of_.find(process->second);
      const int64_t instance = rank == rank_of_.end() ? -1 : static_cast<int64_t>(rank->second.first);
      if (found != -2 && found != instance) return -1;
      found = instance;
    }
    return std::max<int64_t>(found, -1);
  }

  void per_process() {
    const Frame by_process = merged("process", kSystem);
    std::map<std::pair<uint32_t, int64_t>, std::pair<int64_t, int64_t>> ranks;  // time, bytes
    int64_t slowest_other = 0;
    for (uint64_t row = 0; row < by_process.rows; ++row) {
      const uint64_t id = by_process.number("process", row);
      const int64_t bytes = number(by_process, "bytes_read", row) + number(by_process, "bytes_written", row);
      const auto rank = rank_of_.find(id);
      if (standing_.contains(id)) unknown_ranks_ = true;
      if (rank == rank_of_.end()) {
        if (!standing_.contains(id)) slowest_other = std::max(slowest_other, io_ns(by_process, row));
        continue;
      }
      auto& sum = ranks[rank->second];
      sum.first += io_ns(by_process, row);
      sum.second += bytes;
      ProgramSummary& program = job_.programs[rank->second.first];
      program.bytes_read += number(by_process, "bytes_read", row);
      program.bytes_written += number(by_process, "bytes_written", row);
    }
    for (const auto& [rank, sum] : ranks) {
      ProgramSummary& program = job_.programs[rank.first];
      program.slowest_ns = std::max(program.slowest_ns, sum.first);
      job_.slowest_ns = std::max(job_.slowest_ns, sum.first);
    }
    if (rank_of_.empty()) job_.slowest_ns = slowest_other;
    if (unknown_ranks_) {
      estimate();
    } else if (!rank_of_.empty()) {
      job_.io_ranks = 0;
      job_.io_rank_last = -1;
      job_.bytes_rank0 = 0;
      for (const auto& [rank, sum] : ranks) {
        if (sum.second == 0) continue;
        ++job_.io_ranks;
        job_.io_rank_last = std::max(job_.io_rank_last, rank.second);
        if (rank.second == 0) job_.bytes_rank0 += sum.second;
      }
    }
    finish_programs();
  }

  // As `headrace show` does it for Darshan's logs (agg_time_by_slowest).
  void estimate() {
    job_.slowest_exact = 0;
    const Frame by_path = merged("path", kSystem);
    const Frame alone = log_.process_sums(by_path, alone_, false);
    std::map<std::pair<uint32_t, int64_t>, int64_t> sums;
    for (uint64_t row = 0; row < alone.rows; ++row) {
      const auto rank = rank_of_.find(alone.number("process", row));
      if (rank != rank_of_.end()) sums[rank->second] += number(alone, "time_ns", row);
    }
    int64_t most = 0;
    for (const auto& [rank, time] : sums) most = std::max(most, time);
    job_.slowest_ns = most + shared_slowest_ + shared_exact_;
  }

  void finish_programs() {
    if (job_.programs.size() == 1) {
      ProgramSummary& program = job_.programs[0];
      program.files = job_.files;
      program.bytes_read = job_.sums[3];
      program.bytes_written = job_.sums[4];
      program.slowest_ns = job_.slowest_ns;
      return;
    }
    for (size_t i = 0; i < job_.programs.size(); ++i) {
      ProgramSummary& program = job_.programs[i];
      for (const FileSummary& file : job_.by_file) program.files += file.instance == static_cast<int64_t>(i);
    }
  }

  void sizes() {
    for (size_t layer = 0; layer < std::size(kLayers); ++layer) {
      const auto counts = log_.histogram({{}, kFileKinds, {kLayers[layer]}, "program"});
      for (int64_t direction = 0; direction < 2; ++direction) {
        for (uint32_t b = 0; b < model::SizeHistogram::kBuckets; ++b) {
          const auto count = static_cast<int64_t>(counts[static_cast<size_t>(direction)].counts[b]);
          if (count > 0) job_.sizes.push_back({static_cast<int64_t>(layer), direction, b, count});
        }
      }
    }
  }

  Log& log_;
  JobSummary& job_;
  std::set<uint64_t> standing_;
  std::map<uint64_t, std::pair<uint32_t, int64_t>> rank_of_;  // program and rank of a process image
  std::vector<uint64_t> alone_;
  int64_t shared_slowest_ = 0, shared_exact_ = 0;
  bool reduced_ = false, unknown_ranks_ = false;
};

}  // namespace

JobSummary summarize(Log& log, uint64_t content, uint64_t job) {
  JobSummary summary;
  summary.content = content;
  summary.id = base::mix(content, job);
  summary.bytes = log.size();
  Reading(log, summary).run();
  return summary;
}

}  // namespace headrace::bindings
