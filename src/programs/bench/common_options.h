// Options that all patterns have, and those of HDF5.
#pragma once
#include "programs/bench/options.h"
#include "programs/bench/words.h"

namespace headrace::programs {

Options common_options(BenchSettings& settings);
Options hdf5_options(BenchSettings& settings);
/// Of files that ranks share.
Options parallel_options(BenchSettings& settings);
/// As other programs write it: "POSIX", "NCMPI".
Option interface(std::string* to);
/// What must hold between them.
base::Status check_options(const BenchSettings& settings);

/// What --write and --read, given or not, let a run do: that alone, or both. One that only reads needs a --name, and
/// one that only writes is kept if it has one.
base::Status choose_directions(BenchSettings& settings, bool write, bool read, bool* writes, bool* reads);

#define HEADRACE_BENCH_COMMON_HELP                                                  \
  "      --api NAME        posix, stdio, mpiio, hdf5, pnetcdf, or null, for none\n" \
  "      --mpi LIBRARY     the MPI of the launcher, if it is not found by itself\n" \
  "      --emulate PROFILE let files be slow: 200us for each read and write, a\n"   \
  "                        file mine.toml, or a machine, such as intrepid\n"        \
  "                        (docs/bench/emulation.md)\n"                             \
  "      --dir DIR         where the run makes a directory for its files\n"         \
  "                        (default: the working directory)\n"                      \
  "      --name NAME       of that directory, to find it again\n"                   \
  "      --keep            leave the files there\n"                                 \
  "      --no-check        do not read all once more to compare every byte\n"       \
  "      --seed N          of contents and random orders (default: 1)\n"            \
  "      --json            all figures, as JSON\n"                                  \
  "      --parquet FILE    and as a table, a row for each phase\n"                  \
  "  -q, --quiet           no progress\n"                                           \
  "      --help            show this\n"
#define HEADRACE_BENCH_PARALLEL_HELP                                                 \
  "      --collective      mpiio, hdf5, pnetcdf: those who share a file move data\n" \
  "                        together\n"                                               \
  "      --collective-metadata\n"                                                    \
  "                        hdf5: and what describes data, too\n"                     \
  "      --align SIZE      hdf5, pnetcdf: arrays (hdf5: of SIZE or more) begin at\n" \
  "                        multiples of it\n"                                        \
  "      --hint KEY=VALUE  mpiio, hdf5, pnetcdf: for MPI-IO; again for more\n"       \
  "      --pnetcdf LIBRARY the PnetCDF to use, if it is not the one that is found\n"
#define HEADRACE_BENCH_HDF5_HELP                                                   \
  "      --sieve SIZE      hdf5: of the sieve buffer, or off (default: 64K)\n"     \
  "      --page-size SIZE  hdf5: the file's space is handed out in pages\n"        \
  "      --page-buffer SIZE\n"                                                     \
  "                        hdf5: keep pages in memory; needs --page-size\n"        \
  "      --core            hdf5: the file is in memory until it is closed\n"       \
  "      --latest          hdf5: the latest format\n"                              \
  "      --cache-image     hdf5: store the metadata cache in one piece at close\n" \
  "      --hdf5 LIBRARY    the HDF5 to use, if it is not the one that is found\n"

}  // namespace headrace::programs
