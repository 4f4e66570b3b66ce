#include "programs/bench/common_options.h"
#include "workload/plan/h5perf.h"

namespace headrace::programs {
namespace {

using base::Result;

constexpr char kH5perfHelp[] =
    "Usage: headrace bench h5perf [OPTION]...\n"
    "Each rank writes an array, part by part, and reads it.\n"
    "\n"
    "      --size SIZES      of the array, in bytes: 100M, 10Kx10K, 10x1Kx1K\n"
    "                        (default: 100M)\n"
    "      --access SIZES    of one call; divides the array (default: 1K)\n"
    "      --chunk SIZES     of the array in the file (default: contiguous)\n"
    "      --shared          the ranks' arrays are one array in one file\n"
    "\n" HEADRACE_BENCH_COMMON_HELP HEADRACE_BENCH_PARALLEL_HELP HEADRACE_BENCH_HDF5_HELP
    "\n"
    "Rates are in MB/s, 10^6 bytes. write_mbps and read_mbps are of the calls that\n"
    "write and read; write_open_close_mbps and read_open_close_mbps of all, from\n"
    "the file's opening to its closing, as h5perf_serial has them.\n"
    "\n"
    "Example:\n"
    "  headrace bench h5perf --size 100M --access 1K --sieve off --emulate 200us\n"
    "  headrace bench h5perf --size 100M --access 1K --sieve off --emulate 200us \\\n"
    "    --page-size 1M --page-buffer 100M\n";

}  // namespace

Result<BenchSettings> parse_h5perf(const std::vector<std::string>& words) {
  BenchSettings s;
  s.api = "hdf5";
  s.rates_of_transfers = true;
  workload::H5perfSettings h5perf;
  Options options = {{"size", sizes(&h5perf.size)},
                     {"access", sizes(&h5perf.access)},
                     {"chunk", sizes(&h5perf.chunk)},
                     {"shared", flag(&h5perf.shared)}};
  options.merge(common_options(s));
  options.merge(parallel_options(s));
  options.merge(hdf5_options(s));
  HEADRACE_TRY(parse_words(words, options, kH5perfHelp));
  HEADRACE_TRY(check_options(s));
  s.make = [h5perf](int ranks) mutable {
    h5perf.ranks = ranks;
    return workload::make_h5perf(h5perf);
  };
  return s;
}

}  // namespace headrace::programs
