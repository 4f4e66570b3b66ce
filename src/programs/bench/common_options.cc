#include "programs/bench/common_options.h"

namespace headrace::programs {

using base::Code;
using base::Status;

Options common_options(BenchSettings& s) {
  return {{"api", text(&s.api)},
          {"mpi", text(&s.mpi)},
          {"emulate", text(&s.emulate)},
          {"dir", text(&s.directory)},
          {"name", text(&s.name)},
          {"keep", flag(&s.keep)},
          {"no-check", flag(&s.check, false)},
          {"seed", number(&s.seed, UINT64_MAX)},
          {"json", flag(&s.json)},
          {"quiet", flag(&s.quiet)}};
}

Options hdf5_options(BenchSettings& s) {
  workload::Hdf5Options& hdf5 = s.backend.hdf5;
  return {{"sieve", size_or_off(&hdf5.sieve)},      {"page-size", size(&hdf5.page_size)},
          {"page-buffer", size(&hdf5.page_buffer)}, {"core", flag(&hdf5.core)},
          {"latest", flag(&hdf5.latest)},           {"hdf5", text(&hdf5.library)}};
}

Status check_options(const BenchSettings& s) {
  const workload::Hdf5Options& hdf5 = s.backend.hdf5;
  const auto mistake = [](const char* text) { return Status(Code::kInvalid, text); };
  if (s.directory.empty()) return mistake("--dir: the name of a directory, which is empty here");
  if (s.name.find('/') != s.name.npos || s.name == "." || s.name == "..")
    return mistake("--name: the name of a directory in --dir, not a path");
  const bool any = hdf5.sieve || hdf5.page_size > 0 || hdf5.page_buffer > 0 || hdf5.core || hdf5.latest;
  if (any && s.api != "hdf5")
    return mistake("--sieve, --page-size, --page-buffer, --core and --latest are of --api hdf5");
  if (hdf5.page_size > 0 && (hdf5.page_size < 512 || hdf5.page_size > (1 << 30)))
    return mistake("--page-size is from 512 bytes to 1G");
  if (hdf5.page_buffer > 0 && hdf5.page_size == 0) return mistake("--page-buffer keeps pages: give --page-size");
  if (hdf5.page_buffer > 0 && hdf5.page_buffer < hdf5.page_size)
    return mistake("--page-buffer is smaller than one page of --page-size");
  return {};
}

}  // namespace headrace::programs
