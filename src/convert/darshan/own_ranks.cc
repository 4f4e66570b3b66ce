// Which rank a captured process is, or belongs to.
#include <algorithm>
#include <unordered_map>

#include "base/utf8.h"
#include "convert/darshan/own_records.h"
#include "convert/darshan/table_view.h"

namespace headrace::convert::darshan {

namespace {

constexpr int kFarthest = 1000;  // a damaged log may go in circles

std::string command_line(std::string_view arguments) {
  std::string line;
  base::append_escaped(arguments, line);
  std::replace(line.begin(), line.end(), '\0', ' ');
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

/// The rows of `processes`, and how they descend from each other.
class Family {
 public:
  explicit Family(const TableView& table)
      : ids_(table.number("process")), parents_(table.number("parent")), last_(table.rows()) {
    const NumberView pids = table.number("pid"), hosts = table.number("host");
    const TextView ended = table.text("ended");
    std::unordered_map<uint64_t, uint64_t> after;
    for (uint64_t row = 0; row < table.rows(); ++row) row_of_[ids_[row]] = row;
    for (uint64_t row = 0; row < table.rows(); ++row) {
      const auto before = row_of_.find(parents_[row]);
      if (before == row_of_.end() || ended[before->second] != "exec") continue;
      if (pids[before->second] == pids[row] && hosts[before->second] == hosts[row]) after[before->second] = row;
    }
    for (uint64_t row = 0; row < table.rows(); ++row) {
      last_[row] = row;
      for (int execs = 0; execs < kFarthest; ++execs) {
        const auto next = after.find(last_[row]);
        if (next == after.end()) break;
        last_[row] = next->second;
      }
    }
  }

  /// The last image: an exec keeps the process, so all its images are of one rank.
  uint64_t last(uint64_t row) const { return last_[row]; }

  /// The nearest of the process and those it descends from that `wanted` (of a row) holds for; its row, or `none`.
  template <typename Wanted>
  uint64_t nearest(uint64_t row, uint64_t none, Wanted wanted) const {
    for (int steps = 0; steps < kFarthest; ++steps) {
      if (wanted(last_[row])) return last_[row];
      const auto parent = row_of_.find(parents_[row]);
      if (parent == row_of_.end()) break;
      row = parent->second;
    }
    return none;
  }

 private:
  NumberView ids_, parents_;
  std::unordered_map<uint64_t, uint64_t> row_of_;
  std::vector<uint64_t> last_;
};

}  // namespace

/// Ranks are those of the program, and what they started belongs to them; those of a second program follow behind.
/// Launchers and whatever else is no rank have none, unless there are no ranks: then each process is one.
void OwnRecords::read_processes(const Tables& tables) {
  const TableView table(tables, "processes");
  const NumberView ids = table.number("process"), rank = table.number("rank"), ranks = table.number("ranks"),
                   instance = table.number("instance"), hosts = table.number("host"),
                   executables = table.number("executable"), ends = table.number("end_at_ns");
  const TextView arguments = table.text("arguments");
  const Family family(table);
  uint64_t first_instance = 0;
  int64_t next = 0;
  for (uint64_t row = 0; row < table.rows(); ++row) {
    run_ns_ = std::max(run_ns_, ends[row]);
    if (ranks[row] == 0) continue;
    if (first_instance == 0) first_instance = instance[row];
    if (instance[row] == first_instance) next = std::max<int64_t>(next, static_cast<int64_t>(ranks[row]));
  }
  const bool has_ranks = next > 0;
  std::unordered_map<uint64_t, int64_t> given;  // by the last image of a process that is no rank of the program
  bool named = false;
  for (uint64_t row = 0; row < table.rows(); ++row) {
    const uint64_t image =
        has_ranks ? family.nearest(row, table.rows(), [&](uint64_t of) { return ranks[of] != 0; }) : family.last(row);
    if (image == table.rows()) {
      processes_[ids[row]] = {kNoRank, name(hosts[row])};
      left_out_.processes += family.last(row) == row;
      continue;
    }
    const bool ranked = ranks[image] != 0 && instance[image] == first_instance;
    // What stands for ranks is none, also where they are those of another program.
    const bool stands = rank.i64(image) < 0 && ranks[image] != 0;
    int64_t number = rank.i64(image);
    if (!ranked && !stands) {
      const auto [place, is_new] = given.try_emplace(ids[image], next);
      next += is_new ? 1 : 0;
      number = place->second;
    }
    processes_[ids[row]] = {number, name(hosts[row])};
    // The command is that of the ranks, if there are any and it is known.
    const bool of_rank = ranked && !stands && row == image && arguments[row].size() != 0;
    if (named || (!job_.command.empty() && !of_rank)) continue;
    named = of_rank;
    job_.command = command_line(arguments[row]);
    if (job_.command.empty()) job_.command = name(executables[row]);
  }
  if (job_.command.empty()) job_.command = "UNKNOWN";  // Drishti takes the first word
  job_.processes = std::max<int64_t>(next, 1);
}

int64_t OwnRecords::rank_of(uint64_t process) const {
  const auto found = processes_.find(process);
  return found == processes_.end() ? 0 : found->second.rank;
}

}  // namespace headrace::convert::darshan
