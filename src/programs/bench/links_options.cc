#include "programs/bench/common_options.h"
#include "programs/bench/text.h"
#include "workload/plan/links.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;
using workload::PhaseSum;
using workload::Verb;

constexpr char kLinksHelp[] =
    "Usage: headrace bench links [OPTION]...\n"
    "Each rank makes an HDF5 file of much metadata and little data, opens it again\n"
    "and visits every dataset.\n"
    "\n"
    "      --groups N        of a file (default: 20)\n"
    "      --datasets N      of a group (default: 100)\n"
    "      --links N         further hard links of a dataset (default: 3)\n"
    "      --size SIZE       of a dataset (default: 256)\n"
    "      --chunk SIZE      of it (default: 64)\n"
    "\n" HEADRACE_BENCH_COMMON_HELP HEADRACE_BENCH_HDF5_HELP
    "\n"
    "Rates are of datasets a second; seconds are of the slowest rank, and apart in\n"
    "opening, in what is done between, and in closing of all ranks together.\n"
    "\n"
    "Example:\n"
    "  headrace bench links --latest --emulate 200us --cache-image\n";

/// In opening, in all between, and in closing.
Figure profile(const std::string& name, const PhaseSum& sum) {
  double seconds[3] = {};
  for (size_t verb = 0; verb < sum.all.calls.size(); ++verb) {
    const auto what = static_cast<Verb>(verb);
    const int part = what == Verb::kCreate || what == Verb::kOpen ? 0 : what == Verb::kClose ? 2 : 1;
    seconds[part] += static_cast<double>(sum.all[what].ns) / 1e9;
  }
  return {name + "_profile",
          format("{\"open\": %.6f, \"objects\": %.6f, \"close\": %.6f}", seconds[0], seconds[1], seconds[2]),
          format("%-6s seconds: %s %.4f, objects %.4f, H5Fclose %.4f", name.c_str(),
                 sum.all[Verb::kCreate].calls > 0 ? "H5Fcreate" : "H5Fopen", seconds[0], seconds[1], seconds[2])};
}

std::vector<Figure> links_figures(const MeasuredPhases& phases, int) {
  std::vector<Figure> all;
  for (const auto& [phase, sum] : phases) {
    all.push_back({phase.name + "_seconds", format("%.6f", static_cast<double>(sum.slowest_ns) / 1e9), ""});
    all.push_back(profile(phase.name, sum));
  }
  return all;
}

}  // namespace

Result<BenchSettings> parse_links(const std::vector<std::string>& words) {
  BenchSettings s;
  s.api = "hdf5";
  s.backend.objects = true;
  workload::LinksSettings links;
  Options options = {{"groups", number(&links.groups, UINT32_MAX)},
                     {"datasets", number(&links.datasets, UINT32_MAX)},
                     {"links", number(&links.links, UINT32_MAX)},
                     {"size", size(&links.size)},
                     {"chunk", size(&links.chunk)}};
  options.merge(common_options(s));
  options.merge(hdf5_options(s));
  HEADRACE_TRY(parse_words(words, options, kLinksHelp));
  HEADRACE_TRY(check_options(s));
  if (s.api != "hdf5") return Status(Code::kInvalid, "links are of --api hdf5: others have none, nor groups");
  s.make = [links](int ranks) mutable {
    links.ranks = ranks;
    return workload::make_links(links);
  };
  s.figures = links_figures;
  return s;
}

}  // namespace headrace::programs
