#include "programs/bench/common_options.h"
#include "workload/plan/ior.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr char kHelp[] =
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
    "      --collective      mpiio: transfers of all ranks together\n"
    "      --hint KEY=VALUE  mpiio: of the file; again for more\n"
    "\n" HEADRACE_BENCH_COMMON_HELP HEADRACE_BENCH_HDF5_HELP
    "\n"
    "Rates are in MB/s, 10^6 bytes: what all ranks moved, by the time of the\n"
    "slowest one from opening to closing. What is read is looked at in places;\n"
    "that all of it is right a second reading shows, which is not measured.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 4 headrace bench ior --api mpiio --collective --transfer 64K\n";

Status mistake(const std::string& text) { return {Code::kInvalid, text}; }

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
                     {"read", flag(&read)},
                     {"collective", flag(&s.backend.collective)},
                     {"hint", pairs(&s.backend.hints)}};
  options.merge(common_options(s));
  options.merge(hdf5_options(s));
  HEADRACE_TRY(parse_words(words, options, kHelp));
  HEADRACE_TRY(check_options(s));
  ior.write = write || !read;
  ior.read = read || !write;
  ior.seed = s.seed;
  s.only_reads = !ior.write;
  if (s.api == "mpiio" && ior.transfer > INT32_MAX) return mistake("--transfer: MPI moves at most 2G - 1 at once");
  if (s.only_reads && s.name.empty())
    return mistake(
        "--read reads what a run with --write --keep --name NAME has left: give it the same --name, sizes and "
        "--seed");
  if (!ior.read && !s.name.empty()) s.keep = true;
  s.make = [ior](int ranks) mutable {
    ior.ranks = ranks;
    return workload::make_ior(ior);
  };
  return s;
}

}  // namespace headrace::programs
