#include "base/json_text.h"
#include "programs/bench/replay.h"
#include "programs/bench/text.h"
#include "programs/headrace/amounts.h"

namespace headrace::programs {
namespace {

namespace rp = workload::replay;
using rp::FunctionFigures;
using rp::LayerSum;

unsigned long long of(uint64_t number) { return number; }
std::string bytes_of(uint64_t bytes) { return amount(static_cast<double>(bytes)); }

std::string share_of(const LayerSum& sum) {
  const uint64_t all = sum.consecutive + sum.forward + sum.backward;
  if (all == 0) return "–";
  return format("%.0f %%", 100 * static_cast<double>(sum.consecutive + sum.forward) / static_cast<double>(all));
}

std::string line(const char* name, const char* whose, const LayerSum& sum) {
  return format("%-6s %-7s %9llu %7llu %10s %10s %10.3f ", name, whose, of(sum.calls), of(sum.errors),
                bytes_of(sum.bytes_read).c_str(), bytes_of(sum.bytes_written).c_str(), seconds(sum.ns)) +
         share_of(sum) + "\n";
}

std::string list(const char* title, const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += std::string(title) + text + "\n";
  return all;
}

std::string verdict(const ReplayReport& report) {
  const rp::Fidelity& fidelity = report.fidelity;
  if (fidelity.may_stand) return "It may stand for the job: same calls, bytes and sizes.\n";
  if (fidelity.approximate)
    return "It is made from sums alone, and stands for the job only as far as these go; see the notes.\n" +
           list("differs: ", fidelity.differences);
  return "It may not stand for the job without a look at what differs:\n" + list("differs: ", fidelity.differences) +
         (report.counts.first_other.empty() ? "" : "first call that differs: " + report.counts.first_other + "\n");
}

std::string sizes_json(const std::array<uint64_t, rp::kSizes>& sizes) {
  std::string text;
  for (size_t bucket = 0; bucket < sizes.size(); ++bucket)
    if (sizes[bucket] > 0)
      text += format("%s{\"bucket\": %zu, \"calls\": %llu}", text.empty() ? "" : ", ", bucket, of(sizes[bucket]));
  return "[" + text + "]";
}

std::string layer_json(const LayerSum& sum) {
  return format(
             "{\"calls\": %llu, \"errors\": %llu, \"seconds\": %.9f, \"reads\": %llu, \"writes\": %llu, "
             "\"bytes_read\": %llu, \"bytes_written\": %llu, \"consecutive\": %llu, \"forward\": %llu, "
             "\"backward\": %llu, \"read_sizes\": ",
             of(sum.calls), of(sum.errors), seconds(sum.ns), of(sum.reads), of(sum.writes), of(sum.bytes_read),
             of(sum.bytes_written), of(sum.consecutive), of(sum.forward), of(sum.backward)) +
         sizes_json(sum.read_sizes) + ", \"write_sizes\": " + sizes_json(sum.write_sizes) + "}";
}

std::string layers_json(const rp::Fidelity& fidelity) {
  std::string text;
  for (const rp::LayerPair& pair : fidelity.layers)
    text += (text.empty() ? "" : ", ") + ("{\"layer\": " + quoted(pair.layer)) + ", \"job\": " + layer_json(pair.job) +
            ", \"replay\": " + layer_json(pair.replay) + "}";
  return "[" + text + "]";
}

std::string function_json(const FunctionFigures& sum) {
  return format("{\"calls\": %llu, \"errors\": %llu, \"bytes\": %llu, \"seconds\": %.9f}", of(sum.calls),
                of(sum.errors), of(sum.bytes), seconds(sum.ns));
}

std::string functions_json(const ReplayReport& report) {
  std::string text;
  for (size_t f = 1; f < report.job.functions.size() && f < report.sums.size(); ++f) {
    const rp::Function& function = report.job.functions[f];
    if (report.plan.job[f].calls + report.sums[f].calls == 0) continue;
    text += (text.empty() ? "{" : ", {") + ("\"layer\": " + quoted(function.layer)) +
            ", \"function\": " + quoted(function.name) + ", \"replayed_as\": " + quoted(function.done.function) +
            ", \"job\": " + function_json(report.plan.job[f]) + ", \"replay\": " + function_json(report.sums[f]) + "}";
  }
  return "[" + text + "]";
}

std::string left_json(const char* key, const std::map<std::string, rp::LeftOut>& all) {
  std::string text;
  for (const auto& [what, left] : all)
    text += (text.empty() ? "{" : ", {") + format("\"%s\": ", key) + quoted(what) +
            format(", \"calls\": %llu, \"bytes\": %llu}", of(left.calls), of(left.bytes));
  return "[" + text + "]";
}

const char* yes(bool is) { return is ? "true" : "false"; }

}  // namespace

std::string replay_text(const ReplayReport& report) {
  const rp::Fidelity& fidelity = report.fidelity;
  std::string text =
      "headrace bench replay: " + count_of(static_cast<uint64_t>(report.ranks), "rank") +
      (report.mpi.empty() ? "" : " of " + report.mpi) + " on " + count_of(static_cast<uint64_t>(report.nodes), "node") +
      (report.settings.emulate.empty() ? "" : ", emulated " + report.settings.emulate) + "; " + report.replay.job +
      ": " + count_of(report.plan.files, "file") + "\n\n" +
      format("took %.3f s, and %.3f s in the job", seconds(report.counts.duration_ns), seconds(report.plan.job_ns)) +
      (report.replay.think ? ", with its think time" : ", without its think time") + "\n\n" +
      "layer                calls  errors       read    written   in calls  sequential\n";
  for (const rp::LayerPair& pair : fidelity.layers)
    text += line(pair.layer.c_str(), "job", pair.job) + line("", "replay", pair.replay);
  text += "\n" + verdict(report);
  for (const auto& [reason, left] : report.plan.left_out)
    text += "left out: " + reason + ": " + std::to_string(left.calls) + " calls, " + bytes_of(left.bytes) + "\n";
  for (const auto& [layer, left] : report.plan.below)
    text += "left out: " + layer + ": " + std::to_string(left.calls) + " calls, whose own calls are replayed\n";
  text += list("note: ", fidelity.notes) + list("note: ", report.plan.remarks);
  if (report.kept) text += "kept in " + report.directory + "\n";
  return text;
}

std::string replay_json(const ReplayReport& report) {
  const rp::Fidelity& fidelity = report.fidelity;
  std::string text = "{\"pattern\": \"replay\", \"job\": " + quoted(report.replay.job) +
                     ", \"ranks\": " + std::to_string(report.ranks) + ", \"nodes\": " + std::to_string(report.nodes) +
                     ", \"mpi\": " + quoted(report.mpi) + ", \"directory\": " + quoted(report.directory) +
                     ", \"kept\": " + yes(report.kept) + ", \"emulate\": " + quoted(report.settings.emulate) +
                     ", \"think_time\": " + yes(report.replay.think);
  text += format(", \"seconds\": %.9f, \"job_seconds\": %.9f, \"files\": %llu, \"prepared_bytes\": %llu",
                 seconds(report.counts.duration_ns), seconds(report.plan.job_ns), of(report.plan.files),
                 of(report.plan.prepared_bytes));
  text += std::string(", \"may_stand_for_the_job\": ") + yes(fidelity.may_stand) +
          ", \"approximate\": " + yes(fidelity.approximate) +
          ", \"differences\": " + base::json_array(fidelity.differences) +
          ", \"first_different_call\": " + quoted(report.counts.first_other);
  text += ", \"layers\": " + layers_json(fidelity) + ", \"functions\": " + functions_json(report) +
          ", \"left_out\": " + left_json("reason", report.plan.left_out) +
          ", \"replayed_below\": " + left_json("layer", report.plan.below);
  text += format(", \"lost_calls\": %llu, \"lost_events\": %llu, \"left_out_by_settings\": %llu",
                 of(report.job.lost_calls), of(report.job.lost_events), of(report.job.left_out));
  text += format(", \"extra_calls\": %llu, \"waits_for_all\": %llu", of(report.counts.extra_calls),
                 of(report.plan.meetings));
  return text + ", \"notes\": " + base::json_array(fidelity.notes) +
         ", \"remarks\": " + base::json_array(report.plan.remarks) + "}\n";
}

}  // namespace headrace::programs
