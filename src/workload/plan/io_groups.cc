#include "workload/plan/io_groups.h"

#include <algorithm>

#include "base/hash.h"

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;
using Ranks = std::vector<int>;

/// Cuts ranks into so many groups, whose sizes differ by one at most.
void cut_evenly(const Ranks& ranks, size_t groups, std::vector<Ranks>& into) {
  for (size_t i = 0; i < groups; ++i) {
    const auto at = [&](size_t number) {
      return ranks.begin() + static_cast<ptrdiff_t>(ranks.size() * number / groups);
    };
    into.emplace_back(at(i), at(i + 1));
  }
}

Result<std::vector<Ranks>> of_io_nodes(const GroupSettings& s, const Psets& psets) {
  if (psets.names.empty())
    return Status(Code::kInvalid, "--groups topology-aware needs --psets, to know the I/O node of each rank");
  std::vector<Ranks> served(psets.names.size()), groups;
  for (int rank = 0; rank < s.ranks; ++rank) served[psets.node[static_cast<size_t>(rank)]].push_back(rank);
  std::erase_if(served, [](const Ranks& ranks) { return ranks.empty(); });  // of a larger job
  const auto [fewest, most] = std::minmax_element(
      served.begin(), served.end(), [](const Ranks& one, const Ranks& other) { return one.size() < other.size(); });
  const size_t of_each = (most->size() - 1) / static_cast<size_t>(s.size) + 1;
  if (fewest->size() < of_each)
    return Status(Code::kInvalid, "--groups topology-aware: an I/O node serves " + std::to_string(fewest->size()) +
                                      " ranks, which make no " + std::to_string(of_each) +
                                      " groups: choose a --group-size of " + std::to_string(most->size()));
  for (const Ranks& ranks : served) cut_evenly(ranks, of_each, groups);
  return groups;
}

std::vector<Ranks> of_neighbours(const GroupSettings& s) {
  Ranks all(static_cast<size_t>(s.ranks));
  for (int rank = 0; rank < s.ranks; ++rank) all[static_cast<size_t>(rank)] = rank;
  std::vector<Ranks> groups;
  const auto size = static_cast<size_t>(s.size);
  if (s.grouping == Grouping::kUniform) {
    cut_evenly(all, (all.size() - 1) / size + 1, groups);
    return groups;
  }
  for (size_t at = 0; at < all.size(); at += size)
    groups.emplace_back(all.begin() + static_cast<ptrdiff_t>(at),
                        all.begin() + static_cast<ptrdiff_t>(std::min(at + size, all.size())));
  return groups;
}

int choose(const GroupSettings& s, const Ranks& among, size_t group) {
  if (s.leader == Choice::kRandom) return among[base::mix(s.seed, group) % among.size()];
  return s.leader == Choice::kFirst ? among.front() : among.back();
}

/// Gives each group that I/O node of its members which has the fewest leaders, until no change makes it more even.
std::vector<uint32_t> spread(const std::vector<Ranks>& groups, const Psets& psets) {
  std::vector<uint64_t> leaders(psets.names.size());
  std::vector<uint32_t> of_group(groups.size(), UINT32_MAX);
  for (bool better = true; better;) {
    better = false;
    for (size_t group = 0; group < groups.size(); ++group) {
      for (const int rank : groups[group]) {
        const uint32_t node = psets.node[static_cast<size_t>(rank)], now = of_group[group];
        const bool moves = now == UINT32_MAX || leaders[node] + 1 < leaders[now];
        if (!moves) continue;
        if (now != UINT32_MAX) --leaders[now];
        ++leaders[node];
        of_group[group] = node;
        better = true;
      }
    }
  }
  return of_group;
}

}  // namespace

Result<IoGroups> make_groups(const GroupSettings& s, const Psets& psets) {
  if (s.size < 1) return Status(Code::kInvalid, "--group-size is 1 or more");
  IoGroups made;
  if (s.grouping == Grouping::kTopologyAware) {
    HEADRACE_ASSIGN(made.members, of_io_nodes(s, psets));
  } else {
    made.members = of_neighbours(s);
  }
  const bool spreads = s.grouping == Grouping::kUniform && !psets.names.empty();
  const std::vector<uint32_t> nodes = spreads ? spread(made.members, psets) : std::vector<uint32_t>();
  made.group.resize(static_cast<size_t>(s.ranks));
  for (size_t group = 0; group < made.members.size(); ++group) {
    Ranks may_lead;
    for (const int rank : made.members[group]) {
      const auto place = static_cast<size_t>(rank);
      made.group[place] = static_cast<uint32_t>(group);
      if (!spreads || psets.node[place] == nodes[group]) may_lead.push_back(rank);
    }
    made.leader.push_back(choose(s, may_lead, group));
  }
  return made;
}

}  // namespace headrace::workload
