#include "programs/bench/report.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json_text.h"
#include "programs/headrace/amounts.h"

namespace headrace::programs {

using workload::CallFigures;
using workload::Phase;
using workload::PhaseSum;
using workload::Verb;

namespace {

[[gnu::format(printf, 1, 2)]] std::string format(const char* how, ...) {
  char text[512];
  va_list values;
  va_start(values, how);
  vsnprintf(text, sizeof text, how, values);
  va_end(values);
  return text;
}

std::string count_of(uint64_t number, const char* noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

double seconds(uint64_t ns) { return static_cast<double>(ns) / 1e9; }
double megabytes_per_second(const PhaseSum& sum) { return sum.bytes_per_second() / 1e6; }

std::string wrong_text(const BenchReport& report, const Phase& phase, const PhaseSum& sum) {
  std::string text = phase.name + ": ";
  if (sum.all.wrong_bytes > 0) text += count_of(sum.all.wrong_bytes, "byte") + " differ from what was written";
  if (sum.all.wrong_bytes > 0 && sum.all.missing_bytes > 0) text += ", ";
  if (sum.all.missing_bytes > 0) text += count_of(sum.all.missing_bytes, "byte") + " are missing at ends of files";
  return text + "; the first at " + std::to_string(sum.all.first_wrong_at) + " of " + report.directory + "/" +
         report.pattern.file(sum.all.first_wrong_file).name + ", read by rank " + std::to_string(sum.wrong_rank) +
         ". If a run with another --seed or other sizes wrote them, they are no error\n";
}

std::string verdict(const BenchReport& report) {
  std::string text;
  uint64_t checked = 0;
  for (const auto* list : {&report.phases, &report.checks})
    for (const auto& [phase, sum] : *list) {
      if (sum.wrong_rank >= 0) text += "WRONG DATA: " + wrong_text(report, phase, sum);
      checked += sum.all.checked_bytes;
    }
  if (text.empty() && checked > 0)
    return "every byte of " + amount(static_cast<double>(checked)) + " is as it was written\n";
  return text;
}

std::string phase_json(const Phase& phase, const PhaseSum& sum) {
  std::string text = "{\"name\": \"" + phase.name + "\"";
  text += format(", \"bytes\": %llu, \"seconds\": %.9f, \"fastest_rank_seconds\": %.9f, \"elapsed_seconds\": %.9f",
                 static_cast<unsigned long long>(sum.all.bytes()), seconds(sum.slowest_ns), seconds(sum.fastest_ns),
                 seconds(sum.elapsed_ns));
  text +=
      format(", \"slowest_rank\": %llu, \"mbps\": %.3f, \"transfer_mbps\": %.3f, \"calls\": {",
             static_cast<unsigned long long>(sum.slowest_rank), megabytes_per_second(sum), sum.transfer_rate() / 1e6);
  bool first = true;
  for (size_t verb = 0; verb < sum.all.calls.size(); ++verb) {
    const CallFigures& calls = sum.all.calls[verb];
    if (calls.calls == 0) continue;
    text += format("%s\"%s\": {\"calls\": %llu, \"seconds\": %.9f, \"longest_seconds\": %.9f}", first ? "" : ", ",
                   verb_name(static_cast<Verb>(verb)), static_cast<unsigned long long>(calls.calls), seconds(calls.ns),
                   seconds(calls.longest_ns));
    first = false;
  }
  return text + format("}, \"checked_bytes\": %llu, \"wrong_bytes\": %llu, \"missing_bytes\": %llu}",
                       static_cast<unsigned long long>(sum.all.checked_bytes),
                       static_cast<unsigned long long>(sum.all.wrong_bytes),
                       static_cast<unsigned long long>(sum.all.missing_bytes));
}

std::string rates_json(const BenchSettings& s, const std::string& phase, const PhaseSum& sum) {
  if (!s.rates_of_transfers) return format(", \"%s_mbps\": %.3f", phase.c_str(), megabytes_per_second(sum));
  return format(", \"%s_mbps\": %.3f, \"%s_open_close_mbps\": %.3f", phase.c_str(), sum.transfer_rate() / 1e6,
                phase.c_str(), megabytes_per_second(sum));
}

std::string phases_json(const std::vector<std::pair<Phase, PhaseSum>>& phases) {
  std::string text;
  for (const auto& [phase, sum] : phases) text += (text.empty() ? "" : ", ") + phase_json(phase, sum);
  return text;
}

std::string quoted(const std::string& text) {
  std::string out;
  base::append_json(out, text);
  return out;
}

}  // namespace

bool BenchReport::right() const {
  for (const auto* list : {&phases, &checks})
    for (const auto& [phase, sum] : *list)
      if (sum.wrong_rank >= 0) return false;
  return true;
}

std::string report_text(const BenchReport& report) {
  const BenchSettings& s = report.settings;
  std::string text = "headrace bench " + s.pattern + ": " + count_of(static_cast<uint64_t>(report.ranks), "rank") +
                     (report.mpi.empty() ? "" : " of " + report.mpi) + " on " +
                     count_of(static_cast<uint64_t>(report.nodes), "node") + ", " + s.api +
                     (s.backend.collective ? ", collective" : "") +
                     (s.emulate.empty() ? "" : ", emulated " + s.emulate) + "; " + report.pattern.summary() + "\n\n" +
                     "phase       MB/s  in calls   seconds      bytes    calls  mean call   longest\n";
  for (const auto& [phase, sum] : report.phases) {
    const CallFigures& calls = sum.all[phase.direction];
    const double mean = calls.calls > 0 ? seconds(calls.ns) / static_cast<double>(calls.calls) : 0;
    text +=
        format("%-8s %8.1f %9.1f %9.3f %10s %8llu %8.1fus %7.1fms\n", phase.name.c_str(), megabytes_per_second(sum),
               sum.transfer_rate() / 1e6, seconds(sum.slowest_ns), amount(static_cast<double>(sum.all.bytes())).c_str(),
               static_cast<unsigned long long>(calls.calls), mean * 1e6, seconds(calls.longest_ns) * 1e3);
  }
  text += "\n" + verdict(report);
  for (const std::string& remark : report.remarks) text += "note: " + remark + "\n";
  if (report.kept) text += "kept in " + report.directory + "\n";
  return text;
}

std::string report_json(const BenchReport& report) {
  const BenchSettings& s = report.settings;
  std::string text = "{\"pattern\": " + quoted(s.pattern) + ", \"api\": " + quoted(s.api) +
                     ", \"ranks\": " + std::to_string(report.ranks) + ", \"nodes\": " + std::to_string(report.nodes) +
                     ", \"mpi\": " + quoted(report.mpi) + ", \"seed\": " + std::to_string(s.seed) +
                     ", \"directory\": " + quoted(report.directory) +
                     ", \"kept\": " + (report.kept ? "true" : "false") + ", \"emulate\": " + quoted(s.emulate) +
                     ", \"collective\": " + (s.backend.collective ? "true" : "false") +
                     ", \"settings\": " + report.pattern.settings_json();
  for (const auto& [phase, sum] : report.phases) text += rates_json(s, phase.name, sum);
  text += ", \"phases\": [";
  text += phases_json(report.phases) + "], \"checks\": [" + phases_json(report.checks);
  return text + "], \"right\": " + (report.right() ? "true" : "false") +
         ", \"remarks\": " + base::json_array(report.remarks) + "}\n";
}

}  // namespace headrace::programs
