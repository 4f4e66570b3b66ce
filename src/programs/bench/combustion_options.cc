#include "programs/bench/common_options.h"
#include "programs/bench/text.h"
#include "workload/plan/combustion.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;
using Strategy = workload::CombustionSettings::Strategy;

constexpr char kCombustionHelp[] =
    "Usage: headrace bench combustion [OPTION]...\n"
    "Nodes write checkpoints of an adaptive mesh, patch by patch, and read them.\n"
    "\n"
    "      --strategy NAME   file-per-node: a file for each node and checkpoint\n"
    "                        precreated: the same, made in a phase of its own\n"
    "                        shared: one for all nodes, by MPI-IO's collective\n"
    "                        calls (--api mpiio unless another is given)\n"
    "      --per-node N      ranks of a node, of which one writes (default: 1)\n"
    "      --patches N       of a node (default: 4)\n"
    "      --smallest SIZE, --largest SIZE\n"
    "                        bounds of patches, whose sizes differ and follow\n"
    "                        from the seed (default: 1M and 4M)\n"
    "      --checkpoints N   (default: 2)\n"
    "      --hint KEY=VALUE  mpiio: of the file; again for more\n"
    "\n" HEADRACE_BENCH_COMMON_HELP HEADRACE_BENCH_HDF5_HELP
    "\n"
    "Besides MB/s it tells MiB/s of a node, of all from opening to closing.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 16 headrace bench combustion --strategy shared --per-node 4\n";

Option strategy(Strategy* to) {
  return {false, [to](const std::string& value) -> Status {
            for (const Strategy one : {Strategy::kFilePerNode, Strategy::kPrecreated, Strategy::kShared}) {
              if (value != workload::strategy_name(one)) continue;
              *to = one;
              return {};
            }
            return {Code::kInvalid, "'" + value + "' is neither file-per-node, precreated nor shared"};
          }};
}

/// As the paper's figure 11 has it.
std::vector<Figure> combustion_figures(const MeasuredPhases& phases, int nodes) {
  std::vector<Figure> all;
  for (const auto& [phase, sum] : phases) {
    if (phase.direction == workload::Verb::kCreate) continue;
    const double rate = sum.bytes_per_second() / (1 << 20) / nodes;
    all.push_back({phase.name + "_mib_per_second_per_node", format("%.6f", rate),
                   format("%s: %.3f MiB/s of each of %d nodes", phase.name.c_str(), rate, nodes)});
  }
  return all;
}

}  // namespace

Result<BenchSettings> parse_combustion(const std::vector<std::string>& words) {
  BenchSettings s;
  workload::CombustionSettings combustion;
  Options options = {{"strategy", strategy(&combustion.strategy)},
                     {"per-node", number(&combustion.per_node)},
                     {"patches", number(&combustion.patches, UINT32_MAX)},
                     {"smallest", size(&combustion.smallest)},
                     {"largest", size(&combustion.largest)},
                     {"checkpoints", number(&combustion.checkpoints, UINT32_MAX)},
                     {"hint", pairs(&s.backend.hints)}};
  options.merge(common_options(s));
  options.merge(hdf5_options(s));
  HEADRACE_TRY(parse_words(words, options, kCombustionHelp));
  const bool shared = combustion.strategy == Strategy::kShared;
  if (s.api.empty()) s.api = shared ? "mpiio" : "posix";
  s.backend.collective = shared && s.api == "mpiio";
  HEADRACE_TRY(check_options(s));
  combustion.seed = s.seed;
  s.make = [combustion](int ranks) mutable {
    combustion.ranks = ranks;
    return workload::make_combustion(combustion);
  };
  s.figures = [of_node = combustion.per_node](const MeasuredPhases& phases, int ranks) {
    return combustion_figures(phases, ranks / of_node);
  };
  return s;
}

}  // namespace headrace::programs
