// Measures the reduction over simulated ranks: the four cases of figure 1 of P. Carns et al., "Understanding and
// Improving Computational Science Storage Access through Continuous Characterization" (2011), and any other.
//
//   reduction_speed RANKS SHARED OWN …      three numbers a case
//
// Prints one line a case: processor time of all ranks together in one thread, the same by rank, the size of the log,
// the bytes that the busiest rank received, and the memory that was used.
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/simulated_ranks.h"
#include "capture/reduce/made_ranks.h"
#include "capture/reduce/reduce.h"

namespace headrace::capture {
namespace {

double processor_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Only counts: a disk's speed is not what is measured.
class Counter : public PartStore {
 public:
  base::Result<uint64_t> begin(uint64_t bytes) override {
    total = bytes;
    return uint64_t{0};
  }
  base::Status write(uint64_t, base::Bytes) override { return {}; }
  base::Status end(Stored) override { return {}; }
  uint64_t total = 0;
};

int run(int ranks, MadeFiles files) {
  Counter store;
  int failed = 0;
  const double begin = processor_seconds();
  const base::Simulation done = base::simulate_ranks(ranks, [&](base::Communicator& all) {
    MadeRank rank(all.rank(), all.size(), files);
    Reduction reduction(all, rank, nullptr);
    const auto rows = reduction.count_shared();
    const auto part = rows.ok() ? reduction.make_parts(true, 1, 1) : base::Result<std::vector<uint8_t>>(rows.status());
    if (!part.ok() || store_parts(all, *part, store) != Stored::kAll) ++failed;
  });
  const double seconds = processor_seconds() - begin;
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("%7d ranks  %5d shared  %5d own  %9.3f s  %9.1f us a rank  %10.1f KiB log  %8.1f KiB to one rank  %7ld MiB\n",
         ranks, files.shared, files.own, seconds, 1e6 * seconds / ranks, static_cast<double>(store.total) / 1024,
         static_cast<double>(done.most_received) / 1024, usage.ru_maxrss / 1024);
  fflush(stdout);
  return failed;
}

}  // namespace
}  // namespace headrace::capture

int main(int count, char** arguments) {
  int failed = 0;
  for (int i = 1; i + 2 < count; i += 3)
    failed += headrace::capture::run(atoi(arguments[i]), {atoi(arguments[i + 1]), atoi(arguments[i + 2])});
  return failed != 0 ? 1 : 0;
}
