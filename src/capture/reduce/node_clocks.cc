#include "capture/reduce/node_clocks.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/collectives.h"

namespace headrace::capture {
namespace {

using base::Code;
using base::Communicator;
using base::kNobody;
using base::Result;
using base::Status;

// The first finds the other side still at work on another node; of some twenty the shortest is hardly ever disturbed.
constexpr int kRoundTrips = 20;

struct Node {
  uint64_t node;
  uint64_t first;  // rank
};

std::vector<uint8_t> bytes_of(const std::vector<Node>& nodes) {
  std::vector<uint8_t> bytes(nodes.size() * sizeof(Node));
  if (!bytes.empty()) std::memcpy(bytes.data(), nodes.data(), bytes.size());
  return bytes;
}

std::vector<Node> nodes_of(const std::vector<uint8_t>& bytes) {
  std::vector<Node> nodes(bytes.size() / sizeof(Node));
  if (!nodes.empty()) std::memcpy(nodes.data(), bytes.data(), nodes.size() * sizeof(Node));
  return nodes;
}

/// Of each node the first rank, in the order of those.
void merge(std::vector<Node>& nodes, const std::vector<Node>& others) {
  nodes.insert(nodes.end(), others.begin(), others.end());
  std::sort(nodes.begin(), nodes.end(),
            [](const Node& a, const Node& b) { return std::pair(a.node, a.first) < std::pair(b.node, b.first); });
  const auto same = [](const Node& a, const Node& b) { return a.node == b.node; };
  nodes.erase(std::unique(nodes.begin(), nodes.end(), same), nodes.end());
}

/// All nodes, known to all ranks; and what rank 0 gave, in front of them.
Result<std::vector<Node>> all_nodes(Communicator& ranks, uint64_t node, uint64_t reference) {
  const int rank = ranks.rank();
  std::vector<Node> nodes = {{node, static_cast<uint64_t>(rank)}};
  std::vector<uint8_t> bytes;
  for (int step = 1; step < ranks.size(); step *= 2) {
    if (rank & step) {
      HEADRACE_TRY(ranks.exchange(rank - step, bytes_of(nodes), kNobody, nullptr));
      break;
    }
    if (rank + step >= ranks.size()) continue;
    HEADRACE_TRY(ranks.exchange(kNobody, {}, rank + step, &bytes));
    merge(nodes, nodes_of(bytes));
  }
  std::sort(nodes.begin(), nodes.end(), [](const Node& a, const Node& b) { return a.first < b.first; });
  nodes.insert(nodes.begin(), {reference, 0});
  bytes = bytes_of(nodes);
  HEADRACE_TRY(base::broadcast(ranks, &bytes));
  nodes = nodes_of(bytes);
  if (nodes.size() < 2 || nodes[1].first != 0) return Status(Code::kCorrupt, "the ranks do not agree on their nodes");
  return nodes;
}

using Clock = std::function<ClockReading()>;

struct Answer {
  uint64_t came_ns, left_ns;
};

Status answer(Communicator& ranks, int rank, const Clock& clock) {
  std::vector<uint8_t> question;
  for (int i = 0; i < kRoundTrips; ++i) {
    HEADRACE_TRY(ranks.exchange(kNobody, {}, rank, &question));
    Answer times{clock().clock_ns, 0};
    times.left_ns = clock().clock_ns;
    HEADRACE_TRY(ranks.exchange(rank, {reinterpret_cast<const uint8_t*>(&times), sizeof times}, kNobody, nullptr));
  }
  return {};
}

Status ask(Communicator& ranks, const Clock& clock, NodeOffset& found) {
  std::vector<uint8_t> bytes;
  uint64_t shortest = ~uint64_t{0};
  const uint8_t question = 0;
  for (int i = 0; i < kRoundTrips; ++i) {
    const ClockReading asked = clock();
    HEADRACE_TRY(ranks.exchange(0, {&question, 1}, 0, &bytes));
    const uint64_t answered = clock().clock_ns;
    Answer there;
    if (bytes.size() != sizeof there) return {Code::kCorrupt, "rank 0 says no time"};
    std::memcpy(&there, bytes.data(), sizeof there);
    const uint64_t all = answered - asked.clock_ns, inside = there.left_ns - there.came_ns;
    const uint64_t trip = all > inside ? all - inside : 0;
    if (trip >= shortest) continue;
    shortest = trip;
    const auto forth = static_cast<int64_t>(there.came_ns - asked.clock_ns),
               back = static_cast<int64_t>(there.left_ns - answered);
    found.offset_ns = forth / 2 + back / 2 + (forth % 2 + back % 2) / 2;
    found.error_ns = trip / 2 + 1;
    found.at = asked;
  }
  return {};
}

}  // namespace

Result<NodeOffset> measure_node_clock(Communicator& ranks, uint64_t node, uint64_t reference, const Clock& clock) {
  HEADRACE_ASSIGN(const std::vector<Node> nodes, all_nodes(ranks, node, reference));
  NodeOffset found;
  found.reference = nodes[0].node;
  for (size_t i = 2; i < nodes.size(); ++i) {
    const auto asking = static_cast<int>(nodes[i].first);
    if (ranks.rank() == 0) HEADRACE_TRY(answer(ranks, asking, clock));
    if (ranks.rank() != asking) continue;
    HEADRACE_TRY(ask(ranks, clock, found));
    found.measured = true;
  }
  if (ranks.rank() == 0 && nodes.size() > 2) {
    found.measured = true;
    found.at = clock();
  }
  return found;
}

}  // namespace headrace::capture
