#include "events/clocks.h"

#include <map>
#include <optional>

namespace headrace::events {
namespace {

// Clocks that are kept right by NTP run at most half a thousandth too fast or too slow; crystals less.
constexpr int64_t kLeastRun = 1000;
// Beyond that numbers are no times of this world: 146 years.
constexpr int64_t kLongest = int64_t{1} << 62;
// A calendar clock that was set, and not only slowed.
constexpr int64_t kStep = 100'000'000;
// By which two clocks of one machine, read one after the other, may differ.
constexpr int64_t kTogether = 1'000'000;

__extension__ using Wide = __int128;

bool is_time(Wide ns) { return ns > -kLongest && ns < kLongest; }

/// All rows that make sense, by what they are of.
struct Rows {
  std::map<uint64_t, std::vector<const ClockRow*>> of_node;
  std::vector<uint64_t> nodes;                          // in order
  std::unordered_map<uint64_t, const ClockRow*> start;  // of each process the first
  std::map<uint64_t, uint64_t> asked;                   // references: how often

  explicit Rows(const std::vector<ClockRow>& rows) {
    for (const ClockRow& row : rows) {
      const bool plausible = is_time(row.at_ns) && is_time(row.clock_ns) && is_time(row.offset_ns) &&
                             is_time(row.utc_ns) && is_time(row.asleep_ns) && is_time(row.error_ns);
      if (!plausible) continue;
      if (row.reference != 0) asked[row.reference]++;
      auto& known = of_node[row.node];
      if (known.empty()) nodes.push_back(row.node);
      known.push_back(&row);
      if (row.reference == 0) start.try_emplace(row.process, &row);
    }
  }

  /// What a process's times lack to its node's clock.
  std::optional<Wide> base(uint64_t process) const {
    const auto found = start.find(process);
    if (found == start.end()) return {};
    return Wide{found->second->clock_ns} - found->second->at_ns;
  }
  std::optional<uint64_t> node_of(uint64_t process) const {
    const auto found = start.find(process);
    return found == start.end() ? std::optional<uint64_t>() : found->second->node;
  }

  /// The process whose times count: the one that most were compared with.
  uint64_t reference() const {
    uint64_t best = 0, most = 0;
    for (const auto& [process, times] : asked)
      if (times > most && start.contains(process)) {
        best = process;
        most = times;
      }
    return best;
  }
};

using Measured = std::vector<const ClockRow*>;

int64_t difference(uint64_t a, uint64_t b) { return static_cast<int64_t>(a) - static_cast<int64_t>(b); }

/// Comparisons with the clock of the node `with`, by time. Behind a jump there are none: nobody knows when it was.
Measured comparisons(const Rows& rows, uint64_t node, uint64_t with, NodeClock& told) {
  Measured all, used;
  for (const ClockRow* row : rows.of_node.at(node))
    if (row->reference != 0 && rows.node_of(row->reference) == with) all.push_back(row);
  std::stable_sort(all.begin(), all.end(),
                   [](const ClockRow* a, const ClockRow* b) { return a->clock_ns < b->clock_ns; });
  for (const ClockRow* row : all) {
    if (used.empty()) {
      used.push_back(row);
      continue;
    }
    const ClockRow& before = *used.back();
    const int64_t passed = difference(row->clock_ns, before.clock_ns);
    const Wide change = Wide{row->offset_ns} - before.offset_ns, size = change < 0 ? -change : change;
    if (size > passed / kLeastRun + Wide{row->error_ns} + before.error_ns) {
      told.jumped_ns = static_cast<int64_t>(std::clamp<Wide>(change, -kLongest, kLongest));
      break;
    }
    if (size < passed) used.push_back(row);  // else within the error, of two that are close together
  }
  return used;
}

/// What a machine's other clocks tell of the time between a process's start and a measurement on it.
void look_for_steps(const Rows& rows, uint64_t node, NodeClock& told) {
  for (const ClockRow* row : rows.of_node.at(node)) {
    const auto found = rows.start.find(row->process);
    if (row->reference == 0 || found == rows.start.end()) continue;
    const ClockRow& start = *found->second;
    const int64_t passed = difference(row->clock_ns, start.clock_ns);
    const int64_t asleep = difference(row->asleep_ns, start.asleep_ns);
    const int64_t calendar = difference(row->utc_ns, start.utc_ns) - passed - asleep;
    const int64_t stray = row->at_ns - start.at_ns - passed;
    const auto larger = [](int64_t one, int64_t other) { return std::abs(one) > std::abs(other) ? one : other; };
    if (asleep > kTogether) told.suspended_ns = std::max(told.suspended_ns, static_cast<uint64_t>(asleep));
    if (std::abs(calendar) > kStep + std::abs(passed / kLeastRun))
      told.calendar_step_ns = larger(calendar, told.calendar_step_ns);
    if (std::abs(stray) > kTogether) told.stray_ns = larger(stray, told.stray_ns);
  }
}

}  // namespace

Clocks::Clocks(const std::vector<ClockRow>& all) {
  const Rows rows(all);
  const uint64_t reference = rows.reference();
  const std::optional<Wide> zero = rows.base(reference);
  const std::optional<uint64_t> here = rows.node_of(reference);
  std::map<uint64_t, Measured> measured;
  std::unordered_map<uint64_t, size_t> number;
  for (const uint64_t node : rows.nodes) {
    NodeClock told{.node = node, .process = rows.of_node.at(node).front()->process};
    told.is_reference = here == node;
    if (here && here != node) measured[node] = comparisons(rows, node, *here, told);
    look_for_steps(rows, node, told);
    number[node] = nodes_.size();
    nodes_.push_back(std::move(told));
  }
  for (const auto& [process, row] : rows.start) nodes_[number[row->node]].processes++;
  if (!zero) return;

  // Of each process, what its times become; and how much earlier than the job one of them would begin.
  std::unordered_map<uint64_t, std::vector<ClockLine::Point>> points;
  Wide earliest = 1;
  for (const auto& [process, start] : rows.start) {
    const Wide base = *rows.base(process);
    std::vector<ClockLine::Point>& line = points[process];
    const auto add = [&](Wide at, Wide more) {
      if (is_time(at) && is_time(more)) line.push_back({static_cast<int64_t>(at), static_cast<int64_t>(more)});
    };
    if (start->node == *here) add(start->at_ns, base - *zero);
    for (const ClockRow* row : measured[start->node]) add(Wide{row->clock_ns} - base, row->offset_ns + base - *zero);
    if (line.empty()) line.push_back({start->at_ns, 0});
    earliest = std::min(earliest, Wide{start->at_ns} + line.front().add_ns);
  }
  const auto later = static_cast<int64_t>(std::min<Wide>(1 - earliest, kLongest));
  for (auto& [process, line] : points) {
    bool moves = false;
    for (ClockLine::Point& point : line) {
      point.add_ns = static_cast<int64_t>(std::min<Wide>(Wide{point.add_ns} + later, kLongest));
      moves |= point.add_ns != 0;
    }
    if (moves) lines_.emplace(process, ClockLine(line));
  }
  for (NodeClock& told : nodes_) {
    const Measured& used = measured[told.node];
    for (const ClockRow* row : used) {
      const Wide base = rows.base(told.process).value_or(0);
      const Wide added = row->offset_ns + base - *zero + later, at = Wide{row->clock_ns} - base + added;
      told.measured.push_back({row->when, at < 0 ? 0 : static_cast<uint64_t>(at),
                               static_cast<int64_t>(std::clamp<Wide>(added, -kLongest, kLongest)), row->error_ns});
    }
    if (used.size() < 2) continue;
    const auto change = static_cast<double>(Wide{used.back()->offset_ns} - used.front()->offset_ns);
    told.drift = change / static_cast<double>(difference(used.back()->clock_ns, used.front()->clock_ns));
  }
}

}  // namespace headrace::events
