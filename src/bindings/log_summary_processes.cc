#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "bindings/frame_columns.h"
#include "bindings/log_summary_parts.h"

namespace headrace::bindings {
namespace {

class Processes {
 public:
  Processes(const Frame& frame, JobSummary& job, RankPlaces& ranks)
      : frame_(frame),
        job_(job),
        ranks_(ranks),
        image_(frame, "process"),
        instance_(frame, "instance"),
        rank_(frame, "rank"),
        world_(frame, "ranks"),
        pid_(frame, "pid"),
        start_(frame, "start_at_ns"),
        end_(frame, "end_at_ns"),
        unattributed_(frame, "unattributed_bytes"),
        host_(frame, "host"),
        executable_(frame, "executable") {}

  void run() {
    for (uint64_t row = 0; row < frame_.rows; ++row) {
      if (!stands_for_ranks(row)) add(row);
    }
    for (uint64_t row = 0; row < frame_.rows; ++row) {
      if (stands_for_ranks(row)) add_stand_in(row);
    }
    for (size_t i = 0; i < job_.programs.size(); ++i) finish(job_.programs[i], found_[i]);
    if (!hosts_.empty()) job_.nodes = static_cast<int64_t>(hosts_.size());
    job_.processes = most_at_once(job_.programs);
    choose_executable();
    if (job_.programs.empty()) add_single();
  }

 private:
  struct Found {
    std::vector<int64_t> ranks;
    std::set<std::string_view> hosts;
  };

  bool stands_for_ranks(uint64_t row) const { return rank_(row) < 0 && world_(row) > 0; }

  // Logs of one program need not say which it is.
  void add_stand_in(uint64_t row) {
    const uint32_t said = program_of_.find(static_cast<uint64_t>(instance_(row)));
    const uint32_t program = said != IdMap::kNone ? said : job_.programs.size() == 1 ? 0 : RankPlaces::kNoProgram;
    const auto next = static_cast<uint32_t>(ranks_.stood_for.size());
    if (ranks_.stands_in.insert(static_cast<uint64_t>(image_(row)), next) == next) ranks_.stood_for.push_back(program);
  }

  void add(uint64_t row) {
    const std::string_view host = host_(row), executable = executable_(row);
    if (!host.empty()) hosts_.insert(host);
    job_.last_at_ns = std::max({job_.last_at_ns, start_(row), end_(row)});
    job_.bytes_unattributed = plus(job_.bytes_unattributed, unattributed_(row));
    ++executables_[executable];
    if (rank_(row) < 0) return;
    const auto next = static_cast<uint32_t>(job_.programs.size());
    const uint32_t at = program_of_.insert(static_cast<uint64_t>(instance_(row)), next);
    if (at == next) {
      job_.programs.push_back({.executable = std::string(executable), .start_at_ns = start_(row)});
      found_.emplace_back();
    }
    ProgramSummary& program = job_.programs[at];
    if (!host.empty()) found_[at].hosts.insert(host);
    program.start_at_ns = std::min(program.start_at_ns, start_(row));
    program.end_at_ns = std::max(program.end_at_ns, end_(row));
    program.processes = std::max(program.processes, world_(row));
    found_[at].ranks.push_back(rank_(row));
    const auto place = static_cast<uint32_t>(ranks_.places.size());
    // Of rows of one image the last counts, as everywhere.
    const uint32_t known = ranks_.of_image.insert(static_cast<uint64_t>(image_(row)), place);
    if (known == place) ranks_.places.emplace_back();
    ranks_.places[known] = {at, rank_(row)};
  }

  void finish(ProgramSummary& program, Found& found) {
    std::sort(found.ranks.begin(), found.ranks.end());
    const auto known = std::unique(found.ranks.begin(), found.ranks.end()) - found.ranks.begin();
    if (known < program.processes) job_.missing_ranks = plus(job_.missing_ranks, program.processes - known);
    program.processes = std::max<int64_t>(program.processes, known);
    if (!found.hosts.empty()) program.nodes = static_cast<int64_t>(found.hosts.size());
    job_.ranks = std::max(job_.ranks, program.processes);
  }

  // Of the program with the most processes, else of most processes.
  void choose_executable() {
    int64_t most = 0;
    for (const ProgramSummary& program : job_.programs) {
      if (program.processes > most) job_.executable = program.executable;
      most = std::max(most, program.processes);
    }
    if (most > 0) return;
    for (const auto& [name, count] : executables_) {
      if (count > most) job_.executable = name;
      most = std::max(most, count);
    }
  }

  // An image is a process that began another program: a process has one number.
  void add_single() {
    std::set<std::pair<std::string_view, int64_t>> processes;
    for (uint64_t row = 0; row < frame_.rows; ++row) {
      if (rank_(row) >= 0 || world_(row) == 0) processes.emplace(host_(row), pid_(row));
    }
    job_.processes = static_cast<int64_t>(processes.size());
    job_.programs.push_back({.executable = job_.executable,
                             .processes = job_.processes,
                             .nodes = job_.nodes,
                             .end_at_ns = job_.last_at_ns});
  }

  const Frame& frame_;
  JobSummary& job_;
  RankPlaces& ranks_;
  NumberAt image_, instance_, rank_, world_, pid_, start_, end_, unattributed_;
  TextAt host_, executable_;
  IdMap program_of_;  // by instance
  std::vector<Found> found_;
  std::set<std::string_view> hosts_;
  std::map<std::string_view, int64_t> executables_;
};

}  // namespace

void summarize_processes(const Frame& frame, JobSummary& job, RankPlaces& ranks) { Processes(frame, job, ranks).run(); }

int64_t most_at_once(const std::vector<ProgramSummary>& programs) {
  std::vector<std::pair<int64_t, int64_t>> changes;  // when, by how many processes
  for (const ProgramSummary& program : programs) {
    changes.emplace_back(program.start_at_ns, program.processes);
    changes.emplace_back(std::max(program.end_at_ns, plus(program.start_at_ns, 1)), -program.processes);
  }
  std::sort(changes.begin(), changes.end());  // who ends makes room for who begins then
  int64_t now = 0, most = 0;
  for (const auto& [when, by] : changes) {
    now = plus(now, by);
    most = std::max(most, now);
  }
  return most;
}

int64_t slowest_of(const std::vector<ProgramSummary>& programs) {
  std::vector<const ProgramSummary*> sorted;
  for (const ProgramSummary& program : programs) sorted.push_back(&program);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->start_at_ns < b->start_at_ns; });
  int64_t sum = 0, most = 0, end = 0;
  for (const ProgramSummary* program : sorted) {
    if (program == sorted.front() || program->start_at_ns >= end) {
      sum = plus(sum, most);
      most = 0;
      end = program->start_at_ns;
    }
    most = std::max(most, program->slowest_ns);
    end = std::max(end, program->end_at_ns);
  }
  return plus(sum, most);
}

}  // namespace headrace::bindings
