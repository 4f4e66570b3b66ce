// Options that all patterns have, and those of HDF5.
#pragma once
#include "programs/bench/options.h"
#include "programs/bench/words.h"

namespace headrace::programs {

Options common_options(BenchSettings& settings);
Options hdf5_options(BenchSettings& settings);
/// What must hold between them.
base::Status check_options(const BenchSettings& settings);

#define HEADRACE_BENCH_COMMON_HELP                                                   \
  "      --api NAME        posix, stdio, mpiio, hdf5, or null, which does nothing\n" \
  "      --mpi LIBRARY     the MPI of the launcher, if it is not found by itself\n"  \
  "      --emulate DELAY   before each read and write of the files, such as 200us\n" \
  "      --dir DIR         where the run makes a directory for its files\n"          \
  "                        (default: the working directory)\n"                       \
  "      --name NAME       of that directory, to find it again\n"                    \
  "      --keep            leave the files there\n"                                  \
  "      --no-check        do not read all once more to compare every byte\n"        \
  "      --seed N          of contents and random orders (default: 1)\n"             \
  "      --json            all figures, as JSON\n"                                   \
  "  -q, --quiet           no progress\n"                                            \
  "      --help            show this\n"
#define HEADRACE_BENCH_HDF5_HELP                                               \
  "      --sieve SIZE      hdf5: of the sieve buffer, or off (default: 64K)\n" \
  "      --page-size SIZE  hdf5: the file's space is handed out in pages\n"    \
  "      --page-buffer SIZE\n"                                                 \
  "                        hdf5: keep pages in memory; needs --page-size\n"    \
  "      --core            hdf5: the file is in memory until it is closed\n"   \
  "      --latest          hdf5: the latest format\n"                          \
  "      --hdf5 LIBRARY    the HDF5 to use, if it is not the one that is found\n"

}  // namespace headrace::programs
