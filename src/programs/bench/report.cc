#include "programs/bench/report.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "base/json_text.h"
#include "programs/bench/text.h"
#include "programs/headrace/amounts.h"

namespace headrace::programs {

using workload::CallFigures;
using workload::Phase;
using workload::PhaseSum;
using workload::Verb;

namespace {

/// Enough of them that small figures are no zeros.
std::string digits(double value) {
  const int decimals = value >= 100 ? 1 : value >= 1 ? 3 : value >= 0.001 || value == 0 ? 4 : 6;
  return format("%.*f", decimals, value);
}

double megabytes_per_second(const PhaseSum& sum) { return sum.bytes_per_second() / 1e6; }

/// Of what a phase is about: the operations of all ranks by the time of the slowest.
double operations_per_second(const Phase& phase, const PhaseSum& sum) {
  return sum.slowest_ns > 0 ? static_cast<double>(sum.all[phase.direction].calls) / seconds(sum.slowest_ns) : 0;
}

/// Whether a phase is told by its operations, not by bytes.
bool is_counted(const BenchSettings& s, const Phase& phase) {
  return s.rates_of_operations || (phase.direction != Verb::kWrite && phase.direction != Verb::kRead);
}

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

/// Of the iterations of a run.
struct Spread {
  std::string name, unit;  // "write", "mbps"
  double most = 0, least = 0, mean = 0, deviation = 0;
};

std::vector<Spread> spreads(const BenchReport& report) {
  std::vector<Spread> all;
  for (const auto& [phase, sum] : report.phases) {
    const auto same = [&, name = phase.name](const auto& other) { return other.name == name; };
    if (std::any_of(all.begin(), all.end(), same)) continue;
    const bool counted = is_counted(report.settings, phase);
    std::vector<double> rates;
    for (const auto& [other, found] : report.phases)
      if (other.name == phase.name)
        rates.push_back(counted ? operations_per_second(other, found) : megabytes_per_second(found));
    Spread spread{phase.name, counted ? "per_second" : "mbps"};
    spread.most = *std::max_element(rates.begin(), rates.end());
    spread.least = *std::min_element(rates.begin(), rates.end());
    for (const double rate : rates) spread.mean += rate / static_cast<double>(rates.size());
    for (const double rate : rates) spread.deviation += (rate - spread.mean) * (rate - spread.mean);
    spread.deviation = std::sqrt(spread.deviation / static_cast<double>(rates.size()));
    all.push_back(spread);
  }
  return all;
}

std::string spreads_json(const BenchReport& report) {
  std::string text;
  for (const Spread& each : spreads(report)) {
    const auto figure = [&](const char* which, double value) {
      return format(", \"%s_%s%s\": %.3f", each.name.c_str(), each.unit.c_str(), which, value);
    };
    text += figure("", each.most) + figure("_min", each.least) + figure("_mean", each.mean) +
            figure("_stddev", each.deviation);
  }
  return text;
}

std::string spreads_text(const BenchReport& report) {
  std::string text = format("of %llu iterations           max         min        mean      stddev\n",
                            static_cast<unsigned long long>(report.settings.iterations));
  for (const Spread& each : spreads(report))
    text += format("%-18s %12.1f %11.1f %11.1f %11.1f %s\n", each.name.c_str(), each.most, each.least, each.mean,
                   each.deviation, each.unit == "mbps" ? "MB/s" : "operations/s");
  return text + "\n";
}

std::string rates_json(const BenchSettings& s, const Phase& phase, const PhaseSum& sum) {
  const char* name = phase.name.c_str();
  if (is_counted(s, phase)) return format(", \"%s_per_second\": %.3f", name, operations_per_second(phase, sum));
  if (!s.rates_of_transfers) return format(", \"%s_mbps\": %.3f", name, megabytes_per_second(sum));
  return format(", \"%s_mbps\": %.3f, \"%s_open_close_mbps\": %.3f", name, sum.transfer_rate() / 1e6, name,
                megabytes_per_second(sum));
}

std::string phases_json(const std::vector<std::pair<Phase, PhaseSum>>& phases) {
  std::string text;
  for (const auto& [phase, sum] : phases) text += (text.empty() ? "" : ", ") + phase_json(phase, sum);
  return text;
}

/// A line for each phase, under a heading of those that move bytes and of the others.
std::string table(const BenchReport& report) {
  std::string moved, counted;
  for (const auto& [phase, sum] : report.phases) {
    const CallFigures& calls = sum.all[phase.direction];
    const double mean = calls.calls > 0 ? seconds(calls.ns) / static_cast<double>(calls.calls) : 0;
    const auto number = static_cast<unsigned long long>(calls.calls);
    const double longest = seconds(calls.longest_ns);
    if (is_counted(report.settings, phase)) {
      counted +=
          format("%-18s %12.1f %9s %10llu %9.1fus %7sms\n", phase.name.c_str(), operations_per_second(phase, sum),
                 digits(seconds(sum.slowest_ns)).c_str(), number, mean * 1e6, digits(longest * 1e3).c_str());
    } else {
      moved += format("%-10s %8s %9s %9s %10s %8llu %8.1fus %7sms\n", phase.name.c_str(),
                      digits(megabytes_per_second(sum)).c_str(), digits(sum.transfer_rate() / 1e6).c_str(),
                      digits(seconds(sum.slowest_ns)).c_str(), amount(static_cast<double>(sum.all.bytes())).c_str(),
                      number, mean * 1e6, digits(longest * 1e3).c_str());
    }
  }
  if (!counted.empty())
    counted = "phase              operations/s   seconds operations  mean call   longest\n" + counted + "\n";
  if (!moved.empty())
    moved = "phase         MB/s  in calls   seconds      bytes    calls  mean call   longest\n" + moved + "\n";
  return counted + moved;
}

}  // namespace

std::vector<Figure> BenchReport::figures() const {
  return settings.figures ? settings.figures(phases, ranks) : std::vector<Figure>();
}

bool BenchReport::right() const {
  for (const auto* list : {&phases, &checks})
    for (const auto& [phase, sum] : *list)
      if (sum.wrong_rank >= 0) return false;
  return true;
}

/// What readers of figures may overlook.
std::string warnings(const BenchReport& report) {
  const auto moves = [&](Verb direction) {
    return std::any_of(report.phases.begin(), report.phases.end(),
                       [&](const auto& each) { return each.first.direction == direction; });
  };
  std::string text;
  const int of_node = (report.ranks + report.nodes - 1) / report.nodes;
  const auto processors = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  if (of_node > processors)
    text += "note: " + std::to_string(of_node) + " ranks take turns on " +
            count_of(static_cast<uint64_t>(processors), "processor") +
            " of a node: much of the time may be waiting for that\n";
  if (moves(Verb::kWrite) && moves(Verb::kRead) && report.settings.emulate.empty() && report.settings.api != "null")
    text += "note: what is read was written just before, and probably comes from memory\n";
  return text;
}

std::string report_text(const BenchReport& report) {
  const BenchSettings& s = report.settings;
  std::string text =
      "headrace bench " + s.pattern + ": " + count_of(static_cast<uint64_t>(report.ranks), "rank") +
      (report.mpi.empty() ? "" : " of " + report.mpi) + " on " + count_of(static_cast<uint64_t>(report.nodes), "node") +
      ", " + s.api + (s.backend.collective ? ", collective" : "") +
      (s.emulate.empty() ? "" : ", emulated " + s.emulate) + "; " + report.pattern.summary() + "\n\n" + table(report);
  if (s.iterations > 1) text += spreads_text(report);
  for (const Figure& figure : report.figures())
    if (!figure.text.empty()) text += figure.text + "\n";
  text += verdict(report);
  for (const std::string& remark : report.remarks) text += "note: " + remark + "\n";
  text += warnings(report);
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
                     (s.emulated.empty() ? "" : ", \"emulated\": " + s.emulated) +
                     ", \"collective\": " + (s.backend.collective ? "true" : "false") +
                     ", \"settings\": " + report.pattern.settings_json();
  if (s.iterations > 1) {
    text += ", \"iterations\": " + std::to_string(s.iterations) + spreads_json(report);
  } else {
    for (const auto& [phase, sum] : report.phases) text += rates_json(s, phase, sum);
  }
  for (const Figure& figure : report.figures()) text += ", " + quoted(figure.name) + ": " + figure.json;
  text += ", \"phases\": [";
  text += phases_json(report.phases) + "], \"checks\": [" + phases_json(report.checks);
  return text + "], \"right\": " + (report.right() ? "true" : "false") +
         ", \"remarks\": " + base::json_array(report.remarks) + "}\n";
}

}  // namespace headrace::programs
