#include "workload/replay/figures.h"

namespace headrace::workload::replay {

void FunctionFigures::add(const FunctionFigures& more) {
  calls += more.calls;
  errors += more.errors;
  bytes += more.bytes;
  ns += more.ns;
  consecutive += more.consecutive;
  forward += more.forward;
  backward += more.backward;
  for (size_t i = 0; i < kSizes; ++i) sizes[i] += more.sizes[i];
}

void Adder::add(uint32_t function, uint32_t path, uint64_t offset, uint64_t moved, uint64_t ns, bool failed) {
  FunctionFigures& sum = sums_[function];
  ++sum.calls;
  sum.ns += ns;
  sum.errors += failed;
  const Action action = functions_[function].done.action;
  const bool writing = writes(action);
  if (failed || (!writing && !reads(action))) return;
  sum.bytes += moved;
  ++sum.sizes[size_bucket(moved)];
  if (offset == kUnknown) return;
  const auto [end, first] = ends_.emplace(std::pair(path, writing), 0);
  if (!first) ++(offset == end->second ? sum.consecutive : offset > end->second ? sum.forward : sum.backward);
  end->second = offset + moved;
}

}  // namespace headrace::workload::replay
