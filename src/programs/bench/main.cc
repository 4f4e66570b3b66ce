// headrace-bench: what `headrace bench` becomes on every rank.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include "programs/bench/options.h"
#include "programs/bench/report.h"
#include "workload/ranks/mpi.h"
#include "workload/run/executor.h"
#include "workload/run/place.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;
using workload::PhaseFigures;
using workload::Place;
using workload::Ranks;

constexpr int kWrongData = 1, kUsage = 2, kFailed = 3;
constexpr size_t kHostName = 64;

volatile sig_atomic_t stop_signal = 0;
void note_signal(int number) { stop_signal = number; }

void take_signals() {
  struct sigaction action{};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second one ends it at once
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
}

void say(const std::string& text) { fprintf(stderr, "headrace bench: %s\n", text.c_str()); }

int exit_code(const Status& status) {
  if (status.code() == Code::kInvalid) return kUsage;
  return stop_signal != 0 ? 128 + stop_signal : kFailed;
}

/// A bar on a terminal, for what takes longer than a moment.
void show_progress(const workload::Phase& phase, double share) {
  constexpr int kWidth = 40;
  char bar[kWidth + 1];
  for (int i = 0; i < kWidth; ++i) bar[i] = i < share * kWidth ? '#' : '.';
  bar[kWidth] = '\0';
  fprintf(stderr, "\r%-8s [%s] %3.0f %%", phase.name.c_str(), bar, share * 100);
}
void end_progress() { fprintf(stderr, "\r%60s\r", ""); }

bool is_wrong(const std::pair<workload::Phase, workload::PhaseSum>& phase) { return phase.second.wrong_rank >= 0; }

int count_nodes(Ranks& ranks) {
  char name[kHostName] = "";
  gethostname(name, sizeof name - 1);
  const std::vector<uint8_t> all = ranks.gather({reinterpret_cast<const uint8_t*>(name), sizeof name});
  std::set<std::string> names;
  for (size_t at = 0; at < all.size(); at += kHostName) names.insert(reinterpret_cast<const char*>(&all[at]));
  auto count = static_cast<int>(names.size());
  ranks.share({reinterpret_cast<uint8_t*>(&count), sizeof count});
  return count;
}

/// One run, in the order of its methods. All ranks go through it together.
class Run {
 public:
  Run(BenchSettings settings, Ranks& ranks) : settings_(std::move(settings)), ranks_(ranks) {}
  /// The exit status.
  int perform();

 private:
  Status prepare();
  Status measure();
  Status finish();
  int report();
  Result<workload::PhaseSum> run(const workload::Phase& phase, bool compare_all);

  BenchSettings settings_;
  Ranks& ranks_;
  std::unique_ptr<workload::Pattern> pattern_;
  std::unique_ptr<workload::Backend> backend_;
  std::optional<Place> place_;
  std::vector<std::pair<workload::Phase, workload::PhaseSum>> phases_, checks_;
  int nodes_ = 1;
};

/// Fails on all ranks or on none; those that have no reason of their own say nothing.
Status Run::prepare() {
  HEADRACE_ASSIGN(pattern_, settings_.make(ranks_.size()));
  auto backend = workload::make_backend(settings_.api, settings_.backend, ranks_);
  if (!ranks_.all(backend.ok()))  // a library may be missing on one node
    return backend.ok() ? Status(Code::kUnsupported, "") : backend.status();
  backend_ = std::move(*backend);
  nodes_ = count_nodes(ranks_);
  const int of_node = (ranks_.size() + nodes_ - 1) / nodes_;
  const Status memory = workload::check_memory(2 * pattern_->largest_transfer(), of_node);  // to write from, to read to
  if (!ranks_.all(memory.ok())) return memory.ok() ? Status(Code::kNoSpace, "") : memory;
  const bool existing = settings_.only_reads;
  HEADRACE_ASSIGN(place_, Place::make(settings_.directory, settings_.name, existing, ranks_));
  Status room;
  if (ranks_.rank() == 0) room = place_->check_room(backend_->keeps() && !existing ? pattern_->footprint() : 0);
  if (ranks_.all(room.ok())) return {};
  (void)place_->remove(*pattern_, ranks_);
  return room.ok() ? Status(Code::kNoSpace, "") : room;  // rank 0 says why
}

/// Of rank 0; the others' sums are empty.
Result<workload::PhaseSum> Run::run(const workload::Phase& phase, bool compare_all) {
  workload::ExecutorSettings how;
  how.directory = place_->path();
  how.seed = settings_.seed;
  how.compare_all = compare_all;
  how.stop = &stop_signal;
  const bool shows = ranks_.rank() == 0 && !settings_.quiet && isatty(STDERR_FILENO) != 0;
  if (shows) how.progress = show_progress;
  workload::Executor executor(*pattern_, *backend_, ranks_, std::move(how));
  const auto mine = executor.run(phase);
  if (shows) end_progress();
  if (!mine.ok()) return mine.status();
  const std::vector<uint8_t> all = ranks_.gather({reinterpret_cast<const uint8_t*>(&*mine), sizeof *mine});
  std::vector<PhaseFigures> everyone(all.size() / sizeof *mine);
  if (!everyone.empty()) memcpy(everyone.data(), all.data(), all.size());
  return sum_of(everyone);
}

Status Run::measure() {
  for (const workload::Phase& phase : pattern_->phases()) {
    HEADRACE_ASSIGN(workload::PhaseSum sum, run(phase, false));
    phases_.emplace_back(phase, sum);
    if (phase.direction != workload::Verb::kRead || !settings_.check || !backend_->keeps()) continue;
    const workload::Phase check = {"check", workload::Verb::kRead};
    HEADRACE_ASSIGN(sum, run(check, true));
    checks_.emplace_back(check, sum);
  }
  return {};
}

/// What is wrong stays, to be looked at.
Status Run::finish() {
  uint8_t wrong =
      std::any_of(checks_.begin(), checks_.end(), is_wrong) || std::any_of(phases_.begin(), phases_.end(), is_wrong);
  ranks_.share({&wrong, 1});
  if (wrong != 0) settings_.keep = true;
  if (settings_.keep || place_->existing()) return {};
  return place_->remove(*pattern_, ranks_);
}

int Run::report() {
  if (ranks_.rank() != 0) return 0;
  BenchReport report{settings_,
                     *pattern_,
                     ranks_.size(),
                     nodes_,
                     ranks_.library(),
                     place_->path(),
                     settings_.keep || place_->existing(),
                     backend_->remarks(),
                     phases_,
                     checks_};
  const std::string text = settings_.json ? report_json(report) : report_text(report);
  if (fwrite(text.data(), 1, text.size(), stdout) != text.size() || fflush(stdout) != 0) {
    say(std::string("the figures cannot be written: ") + strerror(errno));
    return kFailed;
  }
  return report.right() ? 0 : kWrongData;
}

int Run::perform() {
  if (const Status ready = prepare(); !ready.ok()) {
    if (!ready.message().empty() && (ranks_.rank() == 0 || ready.code() != Code::kInvalid)) say(ready.message());
    return exit_code(ready);
  }
  if (const Status done = measure(); !done.ok()) {
    if (!settings_.keep) place_->remove_in_haste(*pattern_);
    say("rank " + std::to_string(ranks_.rank()) + ": " + done.message() +
        (settings_.keep ? "; the files are kept in " + place_->path() : ""));
    ranks_.abort(exit_code(done));
  }
  if (const Status removed = finish(); !removed.ok()) say(removed.message());
  return report();
}

int main_of(const std::vector<std::string>& arguments) {
  auto settings = parse_bench(arguments);
  if (!settings.ok() && settings.code() == Code::kNotFound)
    return fputs(settings.message().c_str(), stdout) < 0 ? 1 : 0;
  if (!settings.ok()) {
    say(settings.message() + "; `headrace bench --help` says more");
    return kUsage;
  }
  take_signals();
  auto ranks = workload::join_ranks(settings->mpi);
  if (!ranks.ok()) {
    say(ranks.message());
    return kFailed;
  }
  return Run(std::move(*settings), **ranks).perform();
}

}  // namespace
}  // namespace headrace::programs

int main(int count, char** values) {
  return headrace::programs::main_of(std::vector<std::string>(values + (count > 0 ? 1 : 0), values + count));
}
