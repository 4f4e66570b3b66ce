#include "workload/plan/pattern.h"

namespace headrace::workload {

uint64_t operations_in(const Pattern& pattern, const Phase& phase, int rank) {
  uint64_t count = 0;
  (void)pattern.plan(phase, rank, [&](const Operation&) { return ++count, base::Status(); });
  return count;
}

}  // namespace headrace::workload
