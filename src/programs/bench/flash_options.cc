#include "programs/bench/common_options.h"
#include "workload/plan/flash.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr char kFlashHelp[] =
    "Usage: headrace bench flash [OPTION]...\n"
    "Checkpoints and plot files as FLASH writes them: an array for each variable,\n"
    "of which each rank has its blocks of cells.\n"
    "\n"
    "      --blocks N        of each rank (default: 80)\n"
    "      --cells SIZES     of a block, by dimension (default: 8x8x8)\n"
    "      --guard N         cells around a block in memory, which checkpoints by\n"
    "                        HDF5 leave out; 0: none (default: 4)\n"
    "      --variables N     of a checkpoint, in double precision (default: 24)\n"
    "      --plot-variables N\n"
    "                        of a plot file, in single precision (default: 4)\n"
    "      --checkpoints N   how many, one after the other (default: 1)\n"
    "      --plots N         how many plot files (default: 1)\n"
    "      --corners         plot files have corners of cells, not centers\n"
    "      --split N         each into N files of neighbouring ranks (default: 1)\n"
    "      --write, --read   that alone; read: the last checkpoint (default: both)\n"
    "\n" HEADRACE_BENCH_COMMON_HELP HEADRACE_BENCH_PARALLEL_HELP HEADRACE_BENCH_HDF5_HELP
    "\n"
    "Rates are in MB/s, 10^6 bytes, from opening the first file of a phase to\n"
    "closing its last one: checkpoint_mbps, plotfile_mbps and restart_mbps.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 8 headrace bench flash --collective --collective-metadata --split 2\n";

}  // namespace

Result<BenchSettings> parse_flash(const std::vector<std::string>& words) {
  BenchSettings s;
  s.api = "hdf5";
  workload::FlashSettings flash;
  bool write = false, read = false;
  Options options = {{"blocks", number(&flash.blocks, UINT32_MAX)},
                     {"cells", sizes(&flash.cells)},
                     {"guard", number(&flash.guard, UINT32_MAX)},
                     {"variables", number(&flash.variables, UINT32_MAX)},
                     {"plot-variables", number(&flash.plot_variables, UINT32_MAX)},
                     {"checkpoints", number(&flash.checkpoints, UINT32_MAX)},
                     {"plots", number(&flash.plots, UINT32_MAX)},
                     {"corners", flag(&flash.corners)},
                     {"split", number(&flash.split)},
                     {"write", flag(&write)},
                     {"read", flag(&read)}};
  options.merge(common_options(s));
  options.merge(parallel_options(s));
  options.merge(hdf5_options(s));
  HEADRACE_TRY(parse_words(words, options, kFlashHelp));
  HEADRACE_TRY(check_options(s));
  HEADRACE_TRY(choose_directions(s, write, read, &flash.write, &flash.read));
  s.check_at_end = flash.write && flash.read && flash.checkpoints == 0;  // plot files, which no restart reads
  s.make = [flash](int ranks) mutable {
    flash.ranks = ranks;
    return workload::make_flash(flash);
  };
  return s;
}

}  // namespace headrace::programs
