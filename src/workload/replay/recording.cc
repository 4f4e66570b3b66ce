#include "workload/replay/recording.h"

namespace headrace::workload::replay {

void merge_calls(std::vector<Call>& calls, std::vector<Call> more) {
  if (calls.empty()) return calls.swap(more);
  const auto before = static_cast<uint32_t>(calls.size());
  // A damaged trace may say that a call is inside of one that there is not.
  for (Call& call : calls) call.inside = call.inside < before ? call.inside : kNone;
  for (Call& call : more) call.inside = call.inside < more.size() ? call.inside + before : kNone;
  calls.insert(calls.end(), more.begin(), more.end());
  std::vector<uint32_t> order(calls.size()), place(calls.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return calls[a].begin_ns < calls[b].begin_ns; });
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<Call> sorted(calls.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    sorted[i] = calls[order[i]];
    if (sorted[i].inside != kNone) sorted[i].inside = place[sorted[i].inside];
  }
  calls.swap(sorted);
}

}  // namespace headrace::workload::replay
