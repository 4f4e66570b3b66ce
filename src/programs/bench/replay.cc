#include "programs/bench/replay.h"

#include <errno.h>
#include <headrace/phases.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "convert/darshan/convert.h"
#include "programs/bench/outcome.h"
#include "programs/bench/progress.h"
#include "workload/ranks/mpi.h"
#include "workload/replay/from_counters.h"
#include "workload/replay/read_job.h"
#include "workload/replay/tree.h"
#include "workload/run/place.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;
using workload::Place;
using workload::Ranks;
namespace rp = workload::replay;

/// What a rank sends of what it found.
struct Counts {
  uint64_t begin_ns, duration_ns, extra_calls, other_results, other_bytes, late_ns;
  char first_other[512];
};

Result<rp::Recording> read_any(const std::string& path, uint64_t memory) {
  if (!convert::darshan::is_darshan_file(path)) return rp::read_job(path, memory);
  HEADRACE_ASSIGN(const std::vector<format::Table> read, convert::darshan::read_log(path));
  const rp::Tables tables = [&](const std::string& name) -> Result<format::Table> {
    for (const format::Table& table : read)
      if (table.name == name) return table;
    return Status(Code::kNotFound, name);
  };
  return rp::make_from_counters(tables, memory);
}

class Replay {
 public:
  Replay(const BenchSettings& settings, const ReplaySettings& replay, Ranks& ranks, int nodes,
         const volatile sig_atomic_t* stop)
      : settings_(settings), replay_(replay), ranks_(ranks), nodes_(nodes), stop_(stop) {}
  int perform();

 private:
  Status prepare();
  Status read();
  Status measure();
  void gather(const rp::Played& mine);
  int report();
  bool stopped() const { return *stop_ != 0; }
  int exit_code(const Status& status) const {
    if (status.code() == Code::kInvalid) return kUsage;
    if (status.code() == Code::kNoSpace) return kTooLarge;
    return stopped() ? 128 + *stop_ : kFailed;
  }
  /// Fails on all ranks or on none. Rank 0 says why, or where it has no reason those that have.
  Status agree(const Status& mine) const {
    auto first = static_cast<uint8_t>(mine.ok());
    ranks_.share({&first, 1});
    if (ranks_.all(mine.ok())) return {};
    const bool says = !mine.ok() && (ranks_.rank() == 0 || first != 0);
    return {mine.ok() ? Code::kUnsupported : mine.code(), says ? mine.message() : ""};
  }

  const BenchSettings& settings_;
  const ReplaySettings& replay_;
  Ranks& ranks_;
  const int nodes_;
  const volatile sig_atomic_t* stop_;
  rp::Recording job_;
  rp::Plan plan_;
  std::optional<Place> place_;
  std::vector<rp::FunctionFigures> sums_;
  rp::Played counts_;
};

Status Replay::read() {
  const auto of_node = static_cast<uint64_t>((ranks_.size() + nodes_ - 1) / nodes_);
  const uint64_t memory = workload::available_memory();
  const uint64_t mine = memory == 0 ? UINT64_MAX : memory / of_node / 2;
  HEADRACE_ASSIGN(job_, read_any(replay_.job, mine));
  rp::PlanOptions options;
  options.ranks = ranks_.size();
  options.fold = replay_.fold;
  options.mpi = workload::mpi_of(ranks_) != nullptr;
  auto plan = rp::make_plan(job_, options);
  if (!plan.ok()) return {plan.code(), replay_.job + ": " + plan.message()};
  plan_ = std::move(*plan);
  return workload::check_memory(plan_.largest_moved, static_cast<int>(of_node));
}

Status Replay::prepare() {
  HEADRACE_TRY(agree(read()));
  HEADRACE_ASSIGN(place_, Place::make(settings_.directory, settings_.name, false, ranks_));
  Status room;
  if (ranks_.rank() == 0) room = place_->check_room(plan_.footprint, 0);
  if (const Status all = agree(room); !all.ok()) {
    (void)place_->remove(rp::empty_tree, ranks_);
    return all;
  }
  return {};
}

Status Replay::measure() {
  const auto stopped = [this] { return this->stopped(); };
  HEADRACE_TRY(rp::prepare_tree(place_->path(), job_, plan_, ranks_.rank(), ranks_.size(), stopped));
  rp::PlayerSettings how;
  how.root = place_->path();
  how.think = replay_.think;
  how.stopped = stopped;
  const bool shows = ranks_.rank() == 0 && !settings_.quiet && isatty(STDERR_FILENO) != 0;
  if (shows) how.progress = [](double share) { show_progress("replay", share); };
  HEADRACE_ASSIGN(const auto player,
                  rp::Player::make(job_, plan_, rp::steps_of(plan_, job_, ranks_.rank()), ranks_, std::move(how)));
  headrace_phase_begin("replay");  // for captures of the replay: what is outside prepares it, and removes its files
  auto played = player->play();
  headrace_phase_end("replay");
  if (shows) end_progress();
  if (!played.ok()) return played.status();
  gather(*played);
  return {};
}

void Replay::gather(const rp::Played& mine) {
  Counts counts = {
      mine.begin_ns, mine.duration_ns, mine.extra_calls, mine.other_results, mine.other_bytes, mine.late_ns, {}};
  snprintf(counts.first_other, sizeof counts.first_other, "%s", mine.first_other.c_str());
  const std::vector<uint8_t> all = ranks_.gather({reinterpret_cast<const uint8_t*>(&counts), sizeof counts});
  const size_t size = sizeof(rp::FunctionFigures) * mine.functions.size();
  const std::vector<uint8_t> functions = ranks_.gather({reinterpret_cast<const uint8_t*>(mine.functions.data()), size});
  sums_.assign(mine.functions.size(), {});
  uint64_t begin = UINT64_MAX, end = 0;
  for (size_t at = 0; at + sizeof counts <= all.size(); at += sizeof counts) {
    memcpy(&counts, &all[at], sizeof counts);
    begin = std::min(begin, counts.begin_ns);
    end = std::max(end, counts.begin_ns + counts.duration_ns);
    counts_.extra_calls += counts.extra_calls;
    counts_.other_results += counts.other_results;
    counts_.other_bytes += counts.other_bytes;
    counts_.late_ns = std::max(counts_.late_ns, counts.late_ns);
    if (counts_.first_other.empty()) counts_.first_other = counts.first_other;
  }
  counts_.duration_ns = end > begin ? end - begin : 0;
  for (size_t at = 0; at + sizeof(rp::FunctionFigures) <= functions.size(); at += sizeof(rp::FunctionFigures)) {
    rp::FunctionFigures figures;
    memcpy(&figures, &functions[at], sizeof figures);
    sums_[at / sizeof figures % sums_.size()].add(figures);
  }
}

int Replay::report() {
  if (ranks_.rank() != 0) return 0;
  const rp::Fidelity fidelity = rp::judge(job_, plan_, sums_, counts_);
  const ReplayReport report{settings_, replay_,          job_,           plan_,
                            fidelity,  counts_,          sums_,          ranks_.size(),
                            nodes_,    ranks_.library(), place_->path(), settings_.keep};
  const std::string text = settings_.json ? replay_json(report) : replay_text(report);
  if (fwrite(text.data(), 1, text.size(), stdout) != text.size() || fflush(stdout) != 0) {
    say(std::string("the figures cannot be written: ") + strerror(errno));
    return kFailed;
  }
  return 0;
}

int Replay::perform() {
  if (const Status ready = prepare(); !ready.ok()) {
    if (!ready.message().empty()) say(ready.message());
    return exit_code(ready);
  }
  if (const Status done = measure(); !done.ok()) {
    if (!settings_.keep) place_->remove_in_haste(rp::empty_tree);
    say("rank " + std::to_string(ranks_.rank()) + ": " + done.message() +
        (settings_.keep ? "; the files are kept in " + place_->path() : ""));
    ranks_.abort(exit_code(done));
  }
  if (!settings_.keep)
    if (const Status removed = place_->remove(rp::empty_tree, ranks_); !removed.ok()) say(removed.message());
  return report();
}

}  // namespace

int replay(const BenchSettings& settings, const ReplaySettings& replay, Ranks& ranks, int nodes,
           const volatile sig_atomic_t* stop) {
  return Replay(settings, replay, ranks, nodes, stop).perform();
}

}  // namespace headrace::programs
