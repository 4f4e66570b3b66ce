#include "programs/bench/dump_figures.h"

#include <algorithm>

#include "base/json_text.h"
#include "programs/bench/text.h"

namespace headrace::programs {
namespace {

using workload::IoNodeLoad;
using workload::PhaseFigures;
using workload::Verb;

/// A member's: from having its data to having it taken.
double collecting(const PhaseFigures& rank) { return static_cast<double>(rank[Verb::kSend].ns) / 1e9; }

/// A writer's: creating, receiving, writing, closing.
double supervising(const PhaseFigures& rank) {
  if (rank[Verb::kCreate].calls == 0) return 0;
  uint64_t ns = 0;
  for (const Verb verb : {Verb::kCreate, Verb::kReceive, Verb::kWrite, Verb::kClose}) ns += rank[verb].ns;
  return static_cast<double>(ns) / 1e9;
}

/// Of each rank; null of one that took no part.
std::string seconds_of_ranks(const std::vector<PhaseFigures>& ranks, double (*of)(const PhaseFigures&)) {
  std::string json;
  for (const PhaseFigures& rank : ranks)
    json += (json.empty() ? "" : ", ") + (of(rank) > 0 ? format("%.9f", of(rank)) : "null");
  return "[" + json + "]";
}

/// Of the ranks that took part, in each dump.
Figure spread(const char* what, const MeasuredPhases& phases, double (*of)(const PhaseFigures&)) {
  Figure figure{what + std::string("_seconds"), "[", ""};
  for (const auto& [phase, sum] : phases) {
    if (phase.direction != Verb::kWrite) continue;
    std::vector<double> seconds;
    for (const PhaseFigures& rank : sum.ranks)
      if (of(rank) > 0) seconds.push_back(of(rank));
    if (seconds.empty()) continue;
    std::sort(seconds.begin(), seconds.end());
    const size_t half = seconds.size() / 2;
    const double middle = seconds.size() % 2 != 0 ? seconds[half] : (seconds[half - 1] + seconds[half]) / 2;
    figure.json += format(
        "%s{\"dump\": %u, \"ranks\": %zu, \"least\": %.9f, \"median\": %.9f, \"most\": %.9f, "
        "\"seconds\": %s}",
        figure.json.size() > 1 ? ", " : "", phase.number + 1, seconds.size(), seconds.front(), middle, seconds.back(),
        seconds_of_ranks(sum.ranks, of).c_str());
    figure.text += format("%s%s, %s: %.3f to %.3f ms, median %.3f ms", figure.text.empty() ? "" : "\n",
                          phase.name.c_str(), (what + (" by " + count_of(seconds.size(), "rank"))).c_str(),
                          seconds.front() * 1e3, seconds.back() * 1e3, middle * 1e3);
  }
  figure.json += "]";
  return figure;
}

Figure writes_of_blocks(const MeasuredPhases& phases) {
  Figure figure{"block_writes", "[", ""};
  for (const auto& [phase, sum] : phases) {
    if (phase.direction != Verb::kWrite) continue;
    const auto writes = static_cast<unsigned long long>(sum.all.block_writes);
    figure.json += format("%s%llu", figure.json.size() > 1 ? ", " : "", writes);
    if (writes > 0)
      figure.text += format("%s%s, gathered in blocks: %llu calls for %llu writes", figure.text.empty() ? "" : "\n",
                            phase.name.c_str(), writes, static_cast<unsigned long long>(sum.all[Verb::kWrite].calls));
  }
  figure.json += "]";
  return figure;
}

/// The largest share of an I/O node by that of an even spread: 1 is even.
double most_by_mean(const std::vector<IoNodeLoad>& nodes, uint64_t IoNodeLoad::* of) {
  uint64_t most = 0, all = 0;
  for (const IoNodeLoad& node : nodes) {
    most = std::max(most, node.*of);
    all += node.*of;
  }
  return all > 0 ? static_cast<double>(most) * static_cast<double>(nodes.size()) / static_cast<double>(all) : 0;
}

void add_io_nodes(const std::vector<IoNodeLoad>& nodes, std::vector<Figure>& figures) {
  if (nodes.empty()) return;
  std::string json = "[";
  uint64_t idle = 0;
  for (const IoNodeLoad& node : nodes) {
    json += json.size() > 1 ? ", {\"name\": " : "{\"name\": ";
    base::append_json(json, node.name);
    json +=
        format(", \"ranks\": %llu, \"writers\": %llu, \"bytes\": %llu}", static_cast<unsigned long long>(node.ranks),
               static_cast<unsigned long long>(node.writers), static_cast<unsigned long long>(node.bytes));
    idle += node.writers == 0 ? 1 : 0;
  }
  const double writers = most_by_mean(nodes, &IoNodeLoad::writers), bytes = most_by_mean(nodes, &IoNodeLoad::bytes);
  figures.push_back({"io_nodes", json + "]", ""});
  figures.push_back(
      {"io_node_load", format("{\"writers_most_by_mean\": %.6f, \"bytes_most_by_mean\": %.6f}", writers, bytes),
       format("of %s the busiest has %.2f times its even share of writers and %.2f times its share of bytes; "
              "%llu write nothing (by the plan)",
              count_of(nodes.size(), "I/O node").c_str(), writers, bytes, static_cast<unsigned long long>(idle))});
}

}  // namespace

std::vector<Figure> dump_figures(const workload::DumpSettings& settings, const MeasuredPhases& phases) {
  std::vector<Figure> figures = {spread("collecting", phases, collecting), spread("supervising", phases, supervising),
                                 writes_of_blocks(phases)};
  add_io_nodes(workload::io_node_loads(settings), figures);
  return figures;
}

}  // namespace headrace::programs
