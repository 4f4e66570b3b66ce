#include "collect/scan/scan.h"

#include <limits.h>
#include <unistd.h>

#include <utility>

#include "collect/scan/files.h"
#include "collect/scan/scan_run.h"

namespace headrace::collect {

using base::Code;
using base::Result;
using base::Status;

namespace {

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

Scan::Scan(std::unique_ptr<State> state) : state_(std::move(state)) {}
Scan::Scan(Scan&&) noexcept = default;
Scan& Scan::operator=(Scan&&) noexcept = default;
Scan::~Scan() = default;

Result<Scan> Scan::begin(ScanSettings settings) {
  for (size_t i = 0; i < settings.roots.size(); ++i) {
    for (size_t j = 0; j < settings.roots.size(); ++j) {
      if (i != j && is_below(settings.roots[i], settings.roots[j]))
        return Status(Code::kInvalid, settings.roots[i] + ": lies in " + settings.roots[j] + ": name one of the two");
    }
  }
  HEADRACE_TRY(check_output(settings.output));
  const std::string output = settings.output;
  auto state = std::make_unique<State>(std::move(settings), directory_of(output));
  state->state.start_utc_ns = now_utc_ns();
  state->state.host = host_name();
  HEADRACE_TRY(state->open_roots());
  if (access(state_path(output).c_str(), F_OK) == 0)
    return Status(Code::kInvalid, state_path(output) +
                                      ": an earlier scan was interrupted: go on with --resume, or remove it and what" +
                                      " lies beside it (" + state_path(output) + ".*)");
  HEADRACE_TRY(state->open_parts());
  for (uint32_t root = 0; root < state->facts.roots.size(); ++root)
    HEADRACE_TRY(state->pending.push(root, "", std::string(1, '\0')));
  return Scan(std::move(state));
}

Result<Scan> Scan::resume(ScanSettings settings) {
  const std::string output = settings.output;
  auto state = std::make_unique<State>(settings, directory_of(output));
  if (access(state_path(output).c_str(), F_OK) != 0)
    return Status(Code::kNotFound, state_path(output) + ": there is no interrupted scan: begin it without --resume");
  HEADRACE_ASSIGN(state->state, read_state(state_path(output), state->pending));
  ScanSettings& kept = state->state.settings;
  const bool same = (settings.roots.empty() || settings.roots == kept.roots) && settings.rows == kept.rows &&
                    (settings.rules.empty() || settings.rules == kept.rules) &&
                    (settings.file_system.empty() || settings.file_system == kept.file_system) &&
                    (!settings.cross_mounts || kept.cross_mounts);
  if (!same)
    return Status(Code::kInvalid,
                  state_path(output) + ": the scan was begun with other paths or options: give the same");
  kept.output = output;
  kept.threads = settings.threads;
  kept.checkpoint_seconds = settings.checkpoint_seconds;
  state->unfinished = std::exchange(state->state.open, {});
  state->mounts.insert(state->state.mounts.begin(), state->state.mounts.end());
  const size_t known = state->mounts.size();
  HEADRACE_TRY(state->open_roots());
  // Hard links and file systems are known by these numbers, and what waits in one that is gone is not gone.
  if (state->mounts.size() != known || !state->has_its_mounts())
    return Status(Code::kInvalid, state_path(output) +
                                      ": another file system is mounted than before, or one is not, or the machine"
                                      " was started again and numbers of file systems changed: mount what is missing,"
                                      " or remove this file and what lies beside it (" +
                                      state_path(output) + ".*) and begin anew");
  HEADRACE_TRY(state->open_parts());
  return Scan(std::move(state));
}

Status Scan::run(const volatile sig_atomic_t* stop, const std::function<void(const Progress&)>& watch) {
  return state_->run(stop, watch);
}
bool Scan::done() const { return state_->state.done; }
const ScanSettings& Scan::settings() const { return state_->state.settings; }
const Totals& Scan::totals() const { return state_->state.sums.totals; }
std::string Scan::complete() const { return state_->state.complete(); }
uint64_t Scan::rows() const { return state_->rows ? state_->rows->rows() : 0; }

void Scan::remove_parts() const {
  const std::string& output = state_->state.settings.output;
  unlink(state_path(output).c_str());  // first: it is of no use without the others
  unlink(rows_path(output).c_str());
  unlink(links_path(output).c_str());
}

}  // namespace headrace::collect
