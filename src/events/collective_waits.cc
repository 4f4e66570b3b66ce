#include "events/collective_waits.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "events/in_calls.h"

namespace headrace::events {

using base::Result;
using base::Status;
using model::Event;
using model::EventKind;

namespace {

struct Visit {
  uint64_t begin_at_ns, end_at_ns;
  uint32_t rank, root, function;
};

enum class Shape { kAll, kFromRoot, kToRoot, kNone };

/// Who waits for whom, by the function's name.
Shape shape_of(const std::string& name) {
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  if (has("MPI_I") || has("eighbor") || has("scan") || has("Scan") || has("_init")) return Shape::kNone;
  if (has("cast") || (has("catter") && !has("educe"))) return Shape::kFromRoot;
  if ((has("MPI_Reduce") && !has("catter")) || has("MPI_Gather")) return Shape::kToRoot;
  return Shape::kAll;
}

/// The operations over a communicator, in their order.
struct Sequence {
  std::unordered_map<uint32_t, size_t> done;  // by rank, so many
  std::vector<std::vector<Visit>> operations;

  void add(const Visit& visit) {
    const size_t number = done[visit.rank]++;
    if (number >= operations.size()) operations.resize(number + 1);
    operations[number].push_back(visit);
  }
};

using Sequences = std::map<uint32_t, Sequence>;  // by communicator

Status take_visits(TraceReader& trace, const TraceLocation& location, Sequences& sequences) {
  if (location.what.rank < 0) return {};
  const auto rank = static_cast<uint32_t>(location.what.rank);
  return for_each_in_its_call(trace, location, [&](const Event& event, const OpenSpan* call, bool whole) {
    // Behind missing events nobody knows which operation it is.
    if (!whole || event.kind() != EventKind::kCollective) return;
    const std::string& over = trace.references()[event.reference()].name;
    if (over.empty() || over == "MPI_COMM_SELF") return;
    const bool known = is_call_of_mpi(trace, call);
    sequences[event.reference()].add({known ? call->begin_at_ns : OpenSpan::kNotSeen, event.time, rank, event.other,
                                      known ? call->reference : ~uint32_t{0}});
  });
}

class WaitSums {
 public:
  WaitSums(const TraceReader& trace, TimeRange range) : trace_(trace), range_(range) {}

  void add(const std::vector<Visit>& operation, size_t ranks) {
    if (operation.size() != ranks || !is_same_function(operation)) {
      waits_.incomplete++;
      return;
    }
    const Shape shape = shape_of(trace_.references()[operation.front().function].name);
    const Visit* last = last_of(operation, shape);
    if (last == nullptr || !range_.has(last->begin_at_ns)) return;
    const auto waits = [&](const Visit& visit) {
      return visit.begin_at_ns < last->begin_at_ns && (shape != Shape::kToRoot || visit.rank == visit.root);
    };
    const auto left_before = [&](const Visit& visit) { return waits(visit) && visit.end_at_ns < last->begin_at_ns; };
    if (std::any_of(operation.begin(), operation.end(), left_before)) {
      waits_.out_of_step++;
      return;
    }
    CollectiveSums& function = functions_[operation.front().function];
    function.operations++;
    uint64_t sum_ns = 0;
    for (const Visit& visit : operation) {
      if (!waits(visit)) continue;
      const uint64_t waited_ns = last->begin_at_ns - visit.begin_at_ns;
      sum_ns += waited_ns;
      function.longest_ns = std::max(function.longest_ns, waited_ns);
      ranks_[visit.rank].waited_ns += waited_ns;
    }
    function.waited_ns += sum_ns;
    RankWaits& late = ranks_[last->rank];
    late.times_late += sum_ns > 0;
    late.waited_for_ns += sum_ns;
  }

  CollectiveWaits take() {
    for (auto& [function, sums] : functions_) {
      sums.function = function;
      waits_.functions.push_back(sums);
    }
    std::stable_sort(waits_.functions.begin(), waits_.functions.end(),
                     [](const CollectiveSums& a, const CollectiveSums& b) { return a.waited_ns > b.waited_ns; });
    for (auto& [rank, sums] : ranks_) {
      sums.rank = rank;
      waits_.ranks.push_back(sums);
    }
    return std::move(waits_);
  }

 private:
  static bool is_same_function(const std::vector<Visit>& operation) {
    return std::all_of(operation.begin(), operation.end(), [&](const Visit& visit) {
      return visit.function == operation.front().function && visit.function != ~uint32_t{0} &&
             visit.begin_at_ns != OpenSpan::kNotSeen;
    });
  }

  /// For whom the others wait; null: for nobody.
  static const Visit* last_of(const std::vector<Visit>& operation, Shape shape) {
    if (shape == Shape::kNone) return nullptr;
    if (shape == Shape::kFromRoot) {
      const auto root =
          std::find_if(operation.begin(), operation.end(), [](const Visit& visit) { return visit.rank == visit.root; });
      return root == operation.end() ? nullptr : &*root;
    }
    return &*std::max_element(operation.begin(), operation.end(),
                              [](const Visit& a, const Visit& b) { return a.begin_at_ns < b.begin_at_ns; });
  }

  const TraceReader& trace_;
  const TimeRange range_;
  CollectiveWaits waits_;
  std::map<uint32_t, CollectiveSums> functions_;
  std::map<uint32_t, RankWaits> ranks_;
};

}  // namespace

Result<CollectiveWaits> collective_waits(TraceReader& trace, TimeRange range) {
  Sequences sequences;
  for (const TraceLocation& location : trace.locations()) HEADRACE_TRY(take_visits(trace, location, sequences));
  WaitSums sums(trace, range);
  for (const auto& [communicator, sequence] : sequences)
    for (const std::vector<Visit>& operation : sequence.operations)
      if (sequence.done.size() > 1) sums.add(operation, sequence.done.size());
  return sums.take();
}

}  // namespace headrace::events
