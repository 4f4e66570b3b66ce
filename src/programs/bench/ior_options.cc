#include "programs/bench/common_options.h"
#include "workload/plan/ior.h"

namespace headrace::programs {
namespace {

using base::Result;
using base::Status;

constexpr char kIorHelp[] =
    "Usage: headrace bench ior [OPTION]...\n"
    "Each rank writes its blocks, transfer by transfer, and reads them again.\n"
    "\n"
    "      --block SIZE      of a rank in each segment (default: 16M)\n"
    "      --transfer SIZE   of one call (default: 1M)\n"
    "      --segments N      each has a block of every rank (default: 1)\n"
    "      --per-process     a file for each process, not one for all\n"
    "      --random          transfers of a rank in an order that looks random\n"
    "      --reorder N       rank r reads what rank r + N wrote (default: 0)\n"
    "      --sync            each rank calls fsync before it closes what it wrote\n"
    "      --write, --read   that alone (default: both)\n"
    "\n" HEADRACE_BENCH_COMMON_HELP HEADRACE_BENCH_PARALLEL_HELP HEADRACE_BENCH_HDF5_HELP
    "\n"
    "Rates are in MB/s, 10^6 bytes: what all ranks moved, by the time of the\n"
    "slowest one from opening to closing. What is read is looked at in places;\n"
    "that all of it is right a second reading shows, which is not measured.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 4 headrace bench ior --api mpiio --collective --transfer 64K\n";

}  // namespace

Result<BenchSettings> parse_ior(const std::vector<std::string>& words) {
  BenchSettings s;
  s.api = "posix";
  workload::IorSettings ior;
  bool write = false, read = false;
  Options options = {{"block", size(&ior.block)},
                     {"transfer", size(&ior.transfer)},
                     {"segments", number(&ior.segments, UINT32_MAX)},
                     {"per-process", flag(&ior.per_process)},
                     {"random", flag(&ior.random)},
                     {"reorder", number(&ior.reorder)},
                     {"sync", flag(&ior.sync)},
                     {"write", flag(&write)},
                     {"read", flag(&read)}};
  options.merge(common_options(s));
  options.merge(parallel_options(s));
  options.merge(hdf5_options(s));
  HEADRACE_TRY(parse_words(words, options, kIorHelp));
  HEADRACE_TRY(check_options(s));
  HEADRACE_TRY(choose_directions(s, write, read, &ior.write, &ior.read));
  ior.seed = s.seed;
  s.make = [ior](int ranks) mutable {
    ior.ranks = ranks;
    return workload::make_ior(ior);
  };
  return s;
}

}  // namespace headrace::programs
