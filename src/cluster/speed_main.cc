// Measures clustering over simulated ranks, a row each.
//
//   cluster_speed DIMS RANKS …
//
// Prints a line for each number of ranks: processor time of all of them together in one thread, the same by rank,
// messages and bytes by rank, the bytes that the busiest rank received, and the memory that was used.
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/simulated_ranks.h"
#include "cluster/cluster.h"
#include "cluster/made_points.h"

namespace headrace::cluster {
namespace {

double processor_seconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

int run(uint32_t dims, uint32_t ranks) {
  const MadePoints made({.rows = ranks, .dims = dims, .k = 5}, ranks);
  int failed = 0;
  size_t clusters = 0;
  const double begin = processor_seconds();
  const base::Simulation done = base::simulate_ranks(static_cast<int>(ranks),
                                                     [&](base::Communicator& all) {
                                                       Points mine = made.points();
                                                       mine.data =
                                                           made.values.data() + static_cast<size_t>(all.rank()) * dims;
                                                       mine.rows = 1;
                                                       const auto found = cluster(all, mine, {});
                                                       if (!found.ok())
                                                         ++failed;
                                                       else if (all.rank() == 0)
                                                         clusters = found->clusters.size();
                                                     },
                                                     {.stack_bytes = 64 << 10});
  const double seconds = processor_seconds() - begin;
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf(
      "%8u ranks  %2zu clusters  %9.3f s  %7.1f us  %5.1f messages and %8.0f bytes a rank  %8.1f KiB to one  %6ld "
      "MiB\n",
      ranks, clusters, seconds, 1e6 * seconds / ranks, static_cast<double>(done.messages) / ranks,
      static_cast<double>(done.bytes) / ranks, static_cast<double>(done.most_received) / 1024, usage.ru_maxrss / 1024);
  fflush(stdout);
  return failed;
}

}  // namespace
}  // namespace headrace::cluster

int main(int count, char** arguments) {
  int failed = 0;
  for (int i = 2; i < count; ++i)
    failed +=
        headrace::cluster::run(static_cast<uint32_t>(atoi(arguments[1])), static_cast<uint32_t>(atoi(arguments[i])));
  return failed != 0 ? 1 : 0;
}
