#include "workload/run/figures.h"

namespace headrace::workload {
namespace {

void add_calls(PhaseFigures& sum, const PhaseFigures& one) {
  for (size_t verb = 0; verb < sum.calls.size(); ++verb) {
    CallFigures& to = sum.calls[verb];
    const CallFigures& from = one.calls[verb];
    to.calls += from.calls;
    to.bytes += from.bytes;
    to.ns += from.ns;
    to.longest_ns = std::max(to.longest_ns, from.longest_ns);
  }
}

}  // namespace

PhaseSum sum_of(const std::vector<PhaseFigures>& ranks) {
  PhaseSum sum;
  if (ranks.empty()) return sum;
  sum.ranks = ranks;
  sum.all.begin_ns = UINT64_MAX;
  sum.fastest_ns = UINT64_MAX;
  uint64_t end_ns = 0;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    const PhaseFigures& one = ranks[rank];
    add_calls(sum.all, one);
    sum.all.begin_ns = std::min(sum.all.begin_ns, one.begin_ns);
    end_ns = std::max(end_ns, one.begin_ns + one.duration_ns);
    sum.all.block_writes += one.block_writes;
    sum.all.checked_bytes += one.checked_bytes;
    sum.all.wrong_bytes += one.wrong_bytes;
    sum.all.missing_bytes += one.missing_bytes;
    if (sum.wrong_rank < 0 && one.wrong_bytes + one.missing_bytes > 0) {
      sum.wrong_rank = static_cast<int64_t>(rank);
      sum.all.first_wrong_at = one.first_wrong_at;
      sum.all.first_wrong_file = one.first_wrong_file;
    }
    if (one.duration_ns > 0)
      sum.summed_rate += static_cast<double>(one.bytes()) * 1e9 / static_cast<double>(one.duration_ns);
    if (one.duration_ns > sum.slowest_ns) sum.slowest_rank = rank;
    sum.transfer_ns = std::max(sum.transfer_ns, one[Verb::kWrite].ns + one[Verb::kRead].ns);
    sum.slowest_ns = std::max(sum.slowest_ns, one.duration_ns);
    sum.fastest_ns = std::min(sum.fastest_ns, one.duration_ns);
  }
  sum.elapsed_ns = end_ns - sum.all.begin_ns;
  return sum;
}

}  // namespace headrace::workload
