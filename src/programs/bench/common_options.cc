#include "programs/bench/common_options.h"

#include <algorithm>

namespace headrace::programs {

using base::Code;
using base::Status;

Option interface(std::string* to) {
  return {false, [to](const std::string& value) {
            *to = value;
            const bool known = value == "POSIX" || value == "MPIIO" || value == "HDF5" || value == "STDIO";
            if (known) std::transform(to->begin(), to->end(), to->begin(), [](char c) { return c | 0x20; });
            if (value == "NCMPI") *to = "pnetcdf";
            return Status();
          }};
}

Options common_options(BenchSettings& s) {
  return {{"api", interface(&s.api)},
          {"mpi", text(&s.mpi)},
          {"emulate", text(&s.emulate)},
          {"dir", text(&s.directory)},
          {"name", text(&s.name)},
          {"keep", flag(&s.keep)},
          {"no-check", flag(&s.check, false)},
          {"seed", number(&s.seed, UINT64_MAX)},
          {"json", flag(&s.json)},
          {"parquet", text(&s.parquet)},
          {"quiet", flag(&s.quiet)}};
}

Options hdf5_options(BenchSettings& s) {
  workload::Hdf5Options& hdf5 = s.backend.hdf5;
  return {{"sieve", size_or_off(&hdf5.sieve)},
          {"page-size", size(&hdf5.page_size)},
          {"page-buffer", size(&hdf5.page_buffer)},
          {"core", flag(&hdf5.core)},
          {"latest", flag(&hdf5.latest)},
          {"cache-image", flag(&hdf5.cache_image)},
          {"hdf5", text(&hdf5.library)}};
}

Options parallel_options(BenchSettings& s) {
  return {{"collective", flag(&s.backend.collective)},
          {"collective-metadata", flag(&s.backend.hdf5.collective_metadata)},
          {"align", size(&s.backend.align)},
          {"hint", pairs(&s.backend.hints)},
          {"pnetcdf", text(&s.backend.pnetcdf)}};
}

Status check_options(const BenchSettings& s) {
  const workload::Hdf5Options& hdf5 = s.backend.hdf5;
  const auto mistake = [](const char* text) { return Status(Code::kInvalid, text); };
  if (s.directory.empty()) return mistake("--dir: the name of a directory, which is empty here");
  if (s.name.find('/') != s.name.npos || s.name == "." || s.name == "..")
    return mistake("--name: the name of a directory in --dir, not a path");
  const bool any =
      hdf5.sieve || hdf5.page_size > 0 || hdf5.page_buffer > 0 || hdf5.core || hdf5.latest || hdf5.cache_image;
  if (any && s.api != "hdf5")
    return mistake("--sieve, --page-size, --page-buffer, --core, --latest and --cache-image are of --api hdf5");
  if (hdf5.collective_metadata && s.api != "hdf5") return mistake("--collective-metadata is of --api hdf5");
  if (s.backend.align > 0 && s.api != "hdf5" && s.api != "pnetcdf")
    return mistake("--align is of --api hdf5 and pnetcdf");
  if (hdf5.page_size > 0 && (hdf5.page_size < 512 || hdf5.page_size > (1 << 30)))
    return mistake("--page-size is from 512 bytes to 1G");
  if (hdf5.page_buffer > 0 && hdf5.page_size == 0) return mistake("--page-buffer keeps pages: give --page-size");
  if (hdf5.page_buffer > 0 && hdf5.page_buffer < hdf5.page_size)
    return mistake("--page-buffer is smaller than one page of --page-size");
  return {};
}

Status choose_directions(BenchSettings& s, bool write, bool read, bool* writes, bool* reads) {
  *writes = write || !read;
  *reads = read || !write;
  s.only_reads = !*writes;
  if (s.only_reads && s.name.empty())
    return {Code::kInvalid,
            "--read reads what a run with --write --keep --name NAME has left: give it the same --name, sizes, --seed "
            "and number of ranks"};
  if (!*reads && !s.name.empty()) s.keep = true;
  return {};
}

}  // namespace headrace::programs
