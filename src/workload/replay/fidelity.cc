#include "workload/replay/fidelity.h"

#include <cmath>
#include <cstdio>

namespace headrace::workload::replay {
namespace {

constexpr double kSmallShare = 0.01;  // of calls that move nothing
constexpr uint64_t kFew = 10;

void add(LayerSum& sum, const Function& function, const FunctionFigures& figures) {
  sum.calls += figures.calls;
  sum.errors += figures.errors;
  sum.ns += figures.ns;
  sum.consecutive += figures.consecutive;
  sum.forward += figures.forward;
  sum.backward += figures.backward;
  const bool writing = writes(function.done.action);
  if (!writing && !reads(function.done.action)) return;
  (writing ? sum.writes : sum.reads) += figures.calls - figures.errors;
  (writing ? sum.bytes_written : sum.bytes_read) += figures.bytes;
  auto& sizes = writing ? sum.write_sizes : sum.read_sizes;
  for (size_t i = 0; i < kSizes; ++i) sizes[i] += figures.sizes[i];
}

std::string number(uint64_t value) { return std::to_string(value); }

// "(+370 %)"; of less than 0.1 % the two figures say enough.
std::string share_of(uint64_t replay, uint64_t job) {
  const double more = 100 * (static_cast<double>(replay) / static_cast<double>(job) - 1);
  if (std::abs(more) < 0.05) return "";
  char share[32];
  snprintf(share, sizeof share, std::abs(more) < 9.95 ? " (%+.1f %%)" : " (%+.0f %%)", more);
  return share;
}

std::string against(const char* what, uint64_t replay, uint64_t job) {
  if (job == 0) return number(replay) + " " + what + ", and none in the job";
  return number(replay) + " " + what + ", and " + number(job) + " in the job" + share_of(replay, job);
}

void compare(const LayerPair& layer, std::vector<std::string>& differences) {
  const auto check = [&](const char* what, uint64_t replay, uint64_t job) {
    if (replay != job) differences.push_back(layer.layer + ": " + against(what, replay, job));
  };
  check("calls", layer.replay.calls, layer.job.calls);
  check("calls that fail", layer.replay.errors, layer.job.errors);
  check("bytes read", layer.replay.bytes_read, layer.job.bytes_read);
  check("bytes written", layer.replay.bytes_written, layer.job.bytes_written);
  if (layer.replay.read_sizes != layer.job.read_sizes || layer.replay.write_sizes != layer.job.write_sizes)
    differences.push_back(layer.layer + ": sizes of calls are others");
}

void add_losses(const Recording& job, std::vector<std::string>& differences) {
  if (job.lost_calls > 0)
    differences.push_back("the trace lacks " + number(job.lost_calls) + " calls that could not be recorded");
  if (job.lost_events > 0)
    differences.push_back("the trace lacks " + number(job.lost_events) + " events, two for a call");
  if (job.left_out > 0)
    differences.push_back("settings of the trace left out " + number(job.left_out) + " calls, regions and counters" +
                          (job.filter.empty() ? "" : " (" + job.filter + ")"));
}

/// No call of the job on a file.
bool is_elsewhere(const std::string& reason) {
  return reason == kMadeByMpi || reason == kOfLauncher || reason == kNoFiles || reason == kNoKnownFile;
}

}  // namespace

Fidelity judge(const Recording& job, const Plan& plan, const std::vector<FunctionFigures>& replay,
               const Played& counts) {
  Fidelity found;
  found.approximate = job.approximate;
  for (const Layer of : {Layer::kPosix, Layer::kStdio, Layer::kMpiio}) {
    LayerPair layer;
    for (size_t f = 0; f < job.functions.size(); ++f) {
      const Function& function = job.functions[f];
      if (function.of != of || function.done.action == Action::kNone) continue;
      layer.layer = function.layer;
      add(layer.job, function, plan.job[f]);
      if (f < replay.size()) add(layer.replay, function, replay[f]);
    }
    if (layer.job.calls + layer.replay.calls == 0) continue;
    compare(layer, found.differences);
    found.layers.push_back(std::move(layer));
  }
  uint64_t calls = 0;
  for (const LayerPair& layer : found.layers) calls += layer.job.calls;
  if (counts.other_results + counts.other_bytes > 0 && found.differences.empty())
    found.differences.push_back(number(counts.other_results + counts.other_bytes) +
                                " calls ended otherwise than in the job");
  add_losses(job, found.differences);
  for (const auto& [reason, left] : plan.left_out) {
    if (is_elsewhere(reason) && (reason != kNoKnownFile || left.bytes == 0)) continue;
    std::string text =
        "not replayed: " + reason + ": " + number(left.calls) + " calls, " + number(left.bytes) + " bytes";
    const bool few = left.calls <= kFew || static_cast<double>(left.calls) <= kSmallShare * static_cast<double>(calls);
    const bool small = left.bytes == 0 && few;
    (small ? found.notes : found.differences).push_back(std::move(text));
  }
  if (counts.extra_calls > 0)
    found.notes.push_back(
        number(counts.extra_calls) +
        " calls of the replay are none of the job's: they open what a parent process had opened, or go to a position");
  found.may_stand = found.differences.empty() && !found.approximate;
  return found;
}

}  // namespace headrace::workload::replay
