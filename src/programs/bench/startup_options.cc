#include "programs/bench/common_options.h"
#include "programs/bench/text.h"
#include "workload/plan/startup.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;
using workload::StartupScheme;
using workload::StartupSettings;
using workload::Verb;

constexpr char kStartupHelp[] =
    "Usage: headrace bench startup [OPTION]...\n"
    "All ranks need the same files, which rank 0 makes first.\n"
    "\n"
    "      --scheme NAME     everyone: each rank reads each file (default)\n"
    "                        leader: rank 0 reads, and sends to each other one\n"
    "                        tree: who has something sends it on, by halves\n"
    "      --files N         (default: 200)\n"
    "      --size SIZE       of each (default: 64K)\n"
    "      --transfer SIZE   of one call or message, at most (default: 1M)\n"
    "\n" HEADRACE_BENCH_COMMON_HELP
    "\n"
    "startup_seconds is until the last rank has all; delivered_mbps are the bytes\n"
    "that all ranks got by that time.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 16 headrace bench startup --scheme tree --files 200 --size 64K\n";

std::vector<Figure> startup_figures(const StartupSettings& s, const MeasuredPhases& phases) {
  for (const auto& [phase, sum] : phases) {
    if (phase.direction != Verb::kRead || sum.slowest_ns == 0) continue;
    const double seconds = static_cast<double>(sum.slowest_ns) / 1e9;
    const double rate = static_cast<double>(s.files * s.size) * s.ranks / seconds / 1e6;
    const auto opens = static_cast<unsigned long long>(sum.all[Verb::kOpen].calls);
    const auto messages = static_cast<unsigned long long>(sum.all[Verb::kReceive].calls);
    return {{"startup_seconds", format("%.9f", seconds), ""},
            {"delivered_mbps", format("%.3f", rate),
             format("every rank has all after %.3f s, %.1f MB/s delivered, by %llu openings and %llu messages", seconds,
                    rate, opens, messages)}};
  }
  return {};
}

}  // namespace

Result<BenchSettings> parse_startup(const std::vector<std::string>& words) {
  BenchSettings s;
  s.api = "posix";
  StartupSettings startup;
  Options options = {
      {"scheme", name(&startup.scheme, {StartupScheme::kEveryone, StartupScheme::kLeader, StartupScheme::kTree})},
      {"files", number(&startup.files, UINT32_MAX)},
      {"size", size(&startup.size)},
      {"transfer", size(&startup.transfer)}};
  options.merge(common_options(s));
  HEADRACE_TRY(parse_words(words, options, kStartupHelp));
  HEADRACE_TRY(check_options(s));
  if (s.api == "hdf5" || s.api == "pnetcdf")
    return Status(Code::kInvalid, "--api: startup reads rows of bytes, by posix, stdio, mpiio or null, not " + s.api);
  s.make = [startup](int ranks) mutable {
    startup.ranks = ranks;
    return workload::make_startup(startup);
  };
  s.figures = [startup](const MeasuredPhases& phases, int ranks) mutable {
    startup.ranks = ranks;
    return startup_figures(startup, phases);
  };
  return s;
}

}  // namespace headrace::programs
