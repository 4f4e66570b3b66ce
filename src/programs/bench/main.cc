// headrace-bench: what `headrace bench` becomes on every rank.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "base/clock.h"
#include "base/clock_source.h"
#include "programs/bench/calibrate.h"
#include "programs/bench/emulated.h"
#include "programs/bench/interruption.h"
#include "programs/bench/options.h"
#include "programs/bench/outcome.h"
#include "programs/bench/parquet.h"
#include "programs/bench/progress.h"
#include "programs/bench/report.h"
#include "programs/bench/shared_text.h"
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

constexpr size_t kHostName = 64;
constexpr uint32_t kMostFiles = 10'000'000;

int exit_code(const Status& status) {
  if (status.code() == Code::kInvalid) return kUsage;
  if (status.code() == Code::kNoSpace) return kTooLarge;
  return stop_signal != 0 ? 128 + stop_signal : kFailed;
}

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
  Run(BenchSettings settings, Ranks& ranks) : settings_(std::move(settings)), ranks_(ranks), emulated_(ranks) {}
  /// The exit status.
  int perform();
  /// The figures as JSON, of rank 0 when all has been done.
  const std::string& json() const { return json_; }

 private:
  Status prepare();
  /// Fails on all ranks or on none; of those that fail the first has a message.
  Status together(const Status& mine);
  Status measure();
  Status measure_once();
  Status check_all();
  Status finish();
  int report();
  Result<workload::PhaseSum> run(const workload::Phase& phase, bool compare_all);

  BenchSettings settings_;
  Ranks& ranks_;
  Emulated emulated_;
  std::unique_ptr<workload::Pattern> pattern_;
  std::unique_ptr<workload::Backend> backend_;
  std::optional<Place> place_;
  MeasuredPhases phases_, checks_;
  int nodes_ = 1;
  std::string json_;
};

/// Bytes that each rank of a node needs beside what the C library and MPI take: to write from, to read to, and what
/// HDF5 keeps.
uint64_t memory_of(const workload::Pattern& pattern, const workload::Hdf5Options& hdf5, int ranks) {
  const uint64_t file = hdf5.core ? workload::memory_of_files(pattern, ranks) : 0;
  return pattern.memory() + hdf5.page_buffer + file;
}

Status Run::together(const Status& mine) {
  const auto code = static_cast<uint8_t>(mine.code());
  const std::vector<uint8_t> codes = ranks_.gather({&code, 1});
  const auto first = std::find_if(codes.begin(), codes.end(), [](uint8_t one) { return one != 0; });
  struct {
    int64_t rank;
    uint64_t code;
  } told = {first - codes.begin(), first == codes.end() ? 0U : *first};
  ranks_.share({reinterpret_cast<uint8_t*>(&told), sizeof told});
  return {static_cast<Code>(told.code), told.rank == ranks_.rank() ? mine.message() : ""};
}

/// What back ends cannot do, or what no run can end with.
Status check_sizes(const workload::Pattern& pattern, const std::string& api) {
  if (pattern.files() > kMostFiles)
    return {Code::kInvalid, "the run has " + std::to_string(pattern.files()) + " files and directories: at most " +
                                std::to_string(kMostFiles) + " can be made"};
  if ((api == "mpiio" || api == "pnetcdf") && pattern.largest_transfer() > INT32_MAX)
    return {Code::kInvalid, "a transfer of " + std::to_string(pattern.largest_transfer()) +
                                " bytes is more than the 2 GiB - 1 that MPI moves at once: choose smaller ones"};
  return {};
}

Status Run::prepare() {
  HEADRACE_TRY(together(share_text(settings_, ranks_)));
  auto pattern = settings_.make(ranks_.size());
  HEADRACE_TRY(together(pattern.ok() ? check_sizes(**pattern, settings_.api) : pattern.status()));
  pattern_ = std::move(*pattern);
  settings_.backend.shared = settings_.backend.shared || pattern_->shares();
  auto backend = workload::make_backend(settings_.api, settings_.backend, ranks_);
  HEADRACE_TRY(together(backend.status()));  // a library may be missing on one node
  backend_ = std::move(*backend);
  nodes_ = count_nodes(ranks_);
  const int of_node = (ranks_.size() + nodes_ - 1) / nodes_;
  HEADRACE_TRY(together(workload::check_memory(memory_of(*pattern_, settings_.backend.hdf5, of_node), of_node)));
  const bool has_table = !settings_.parquet.empty() && ranks_.rank() == 0;
  HEADRACE_TRY(together(has_table ? check_parquet(settings_.parquet) : Status()));
  const bool existing = settings_.only_reads;
  auto place = Place::make(settings_.directory, settings_.name, existing, ranks_);
  HEADRACE_TRY(together(place.status()));
  place_ = std::move(*place);
  Status room;
  const bool makes = backend_->keeps() && !existing;
  if (ranks_.rank() == 0 && makes) room = place_->check_room(pattern_->footprint(), pattern_->files());
  const Status all = together(room);
  if (!all.ok()) (void)place_->remove(*pattern_, ranks_);
  return all;
}

/// Of rank 0; the others' sums are empty.
Result<workload::PhaseSum> Run::run(const workload::Phase& phase, bool compare_all) {
  workload::ExecutorSettings how;
  how.directory = place_->path();
  how.seed = settings_.seed;
  how.compare_all = compare_all;
  how.stop = &stop_signal;
  const bool shows = ranks_.rank() == 0 && !settings_.quiet && isatty(STDERR_FILENO) != 0;
  if (shows) how.progress = [](const workload::Phase& of, double share) { show_progress(of.name.c_str(), share); };
  workload::Executor executor(*pattern_, *backend_, ranks_, std::move(how));
  const auto mine = executor.run(phase);
  if (shows) end_progress();
  if (!mine.ok()) return mine.status();
  const std::vector<uint8_t> all = ranks_.gather({reinterpret_cast<const uint8_t*>(&*mine), sizeof *mine});
  std::vector<PhaseFigures> everyone(all.size() / sizeof *mine);
  if (!everyone.empty()) memcpy(everyone.data(), all.data(), all.size());
  return sum_of(everyone);
}

bool looks_at_data(const workload::Phase& phase) {
  return phase.direction == workload::Verb::kRead || phase.direction == workload::Verb::kOpenDataset;
}

Status Run::measure() {
  for (uint64_t done = 0; done < settings_.iterations; ++done) {
    if (done > 0 && !place_->existing()) {
      HEADRACE_TRY(place_->empty(*pattern_, ranks_));
      ranks_.wait_for_all();
    }
    HEADRACE_TRY(measure_once());
  }
  return settings_.check_at_end && settings_.check && backend_->keeps() ? check_all() : Status();
}

Status Run::measure_once() {
  for (const workload::Phase& phase : pattern_->phases()) {
    HEADRACE_ASSIGN(workload::PhaseSum sum, run(phase, false));
    phases_.emplace_back(phase, sum);
    if (!looks_at_data(phase) || !settings_.check || !backend_->keeps()) continue;
    HEADRACE_TRY(check_all());
  }
  return {};
}

Status Run::check_all() {
  const workload::Phase check = {"check", workload::Verb::kRead};
  HEADRACE_ASSIGN(workload::PhaseSum sum, run(check, true));
  checks_.emplace_back(check, sum);
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
  settings_.emulated = emulated_.counts();
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
  json_ = report_json(report);
  const std::string text = settings_.json ? json_ : report_text(report);
  if (fwrite(text.data(), 1, text.size(), stdout) != text.size() || fflush(stdout) != 0) {
    say(std::string("the figures cannot be written: ") + strerror(errno));
    return kFailed;
  }
  return report.right() ? 0 : kWrongData;
}

int Run::perform() {
  if (const Status ready = prepare(); !ready.ok()) {
    if (!ready.message().empty()) say(ready.message());
    return exit_code(ready);
  }
  std::optional<LastResort> last_resort;
  if (!settings_.keep) last_resort.emplace([this] { place_->remove_in_haste(*pattern_); });
  if (const Status done = measure(); !done.ok()) {
    if (!settings_.keep) place_->remove_in_haste(*pattern_);
    say("rank " + std::to_string(ranks_.rank()) + ": " + done.message() +
        (settings_.keep ? "; the files are kept in " + place_->path() : ""));
    ranks_.abort(exit_code(done));
  }
  last_resort.reset();
  if (const Status removed = finish(); !removed.ok()) say(removed.message());
  return report();
}

int main_of(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "calibrate") return calibrate({arguments.begin() + 1, arguments.end()});
  auto settings = parse_bench(arguments);
  if (!settings.ok() && settings.code() == Code::kNotFound)
    return fputs(settings.message().c_str(), stdout) < 0 ? 1 : 0;
  if (!settings.ok()) {
    say(settings.message() + "; `headrace bench --help` says more");
    return kUsage;
  }
  take_signals();
  if (settings->make) {
    const auto pattern = settings->make(std::max(workload::launched_ranks(), 1));  // a guess, until they are together
    settings->backend.shared = !pattern.ok() || (*pattern)->shares();
  }
  auto ranks = workload::join_ranks(settings->mpi, [&](const workload::Mpi& mpi) {
    return workload::find_libraries(settings->api, settings->backend, mpi);
  });
  if (!ranks.ok()) {
    say(ranks.message());
    return kFailed;
  }
  if (settings->run) return settings->run(*settings, **ranks, count_nodes(**ranks), &stop_signal);
  const std::string parquet = settings->parquet;
  std::string json;
  int status = kFailed;
  {
    Run run(std::move(*settings), **ranks);
    status = run.perform();
    json = run.json();
  }
  ranks->reset();  // which ends MPI: what is started here is none of its business
  if (json.empty() || parquet.empty()) return status;
  const Status written = write_parquet(json, parquet);
  if (!written.ok() && !written.message().empty()) say(written.message());
  return status == 0 && !written.ok() ? kFailed : status;
}

}  // namespace
}  // namespace headrace::programs

int main(int count, char** values) {
  std::string source;
  std::ifstream(headrace::base::kClockSourceFile) >> source;
  headrace::base::counter_clock = headrace::base::is_counter(source.c_str());
  return headrace::programs::main_of(std::vector<std::string>(values + (count > 0 ? 1 : 0), values + count));
}
