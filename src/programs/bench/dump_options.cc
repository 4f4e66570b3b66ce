#include "programs/bench/common_options.h"
#include "programs/bench/dump_figures.h"
#include "workload/plan/dump.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;
using workload::Choice;
using workload::DumpKind;
using workload::DumpScheme;
using workload::DumpSettings;
using workload::Grouping;

constexpr char kDumpHelp[] =
    "Usage: headrace bench dump [OPTION]...\n"
    "Dumps of the laser-plasma code pF3D: ranks hold chunks of a grid, and leaders\n"
    "write for their groups what these send them. All is then read.\n"
    "\n"
    "      --kind NAME       spec: some planes across the grid (default)\n"
    "                        visualization: all cells, compressed\n"
    "                        restart: all cells\n"
    "      --scheme NAME     one-file: rank 0 puts the planes together\n"
    "                        multi-message: one for each variable\n"
    "                        single-message: one for each rank (default)\n"
    "                        file-per-process\n"
    "      --groups NAME     contiguous (default), uniform or topology-aware\n"
    "      --group-size N    ranks of a group, at most (default: 4)\n"
    "      --leader NAME     of a group: first (default), last or random\n"
    "      --psets FILE      the I/O node of each rank: lines '0-63 NAME'\n"
    "      --chunks XxYxZ    of the grid, one for each rank (default: even)\n"
    "      --cells XxYxZ     of a chunk (default: 32x32x64)\n"
    "      --variables N     of each cell, 8 bytes each (default: 4)\n"
    "      --planes N        of a spec dump (default: 8)\n"
    "      --compressed N    percent that is left of them (default: 25)\n"
    "      --table NAME      of a file: end (default), or interleaved: in front,\n"
    "                        written in turns with the data\n"
    "      --block SIZE      data gathers until it is so much, or off\n"
    "                        (default: 64K)\n"
    "      --dumps N         one after the other (default: 1)\n"
    "\n" HEADRACE_BENCH_COMMON_HELP
    "\n"
    "Collecting is what members wait until their data is taken; supervising is\n"
    "what leaders receive and write. The files are written by posix or stdio.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 16 headrace bench dump --kind restart --groups uniform\n";

Option table(bool* interleaved) {
  return {false, [interleaved](const std::string& value) -> Status {
            *interleaved = value == "interleaved";
            if (*interleaved || value == "end") return {};
            return {Code::kInvalid, "'" + value + "' is neither end nor interleaved"};
          }};
}

Options options_of(DumpSettings& dump, std::string& psets, std::optional<uint64_t>& block) {
  return {
      {"kind", name(&dump.kind, {DumpKind::kSpec, DumpKind::kVisualization, DumpKind::kRestart})},
      {"scheme", name(&dump.scheme, {DumpScheme::kOneFile, DumpScheme::kMultiMessage, DumpScheme::kSingleMessage,
                                     DumpScheme::kFilePerProcess})},
      {"groups", name(&dump.groups.grouping, {Grouping::kContiguous, Grouping::kUniform, Grouping::kTopologyAware})},
      {"group-size", number(&dump.groups.size)},
      {"leader", name(&dump.groups.leader, {Choice::kFirst, Choice::kLast, Choice::kRandom})},
      {"psets", text(&psets)},
      {"chunks", sizes(&dump.chunks)},
      {"cells", sizes(&dump.cells)},
      {"variables", number(&dump.variables, UINT32_MAX)},
      {"planes", number(&dump.planes, UINT32_MAX)},
      {"compressed", number(&dump.compressed, 100)},
      {"table", table(&dump.interleaved)},
      {"block", size_or_off(&block)},
      {"dumps", number(&dump.dumps, UINT32_MAX)},
  };
}

}  // namespace

Result<BenchSettings> parse_dump(const std::vector<std::string>& words) {
  BenchSettings s;
  s.api = "posix";
  s.backend.gathers = true;
  DumpSettings dump;
  dump.groups.size = 4;
  std::optional<uint64_t> block;
  Options options = options_of(dump, s.text_file, block);
  options.merge(common_options(s));
  HEADRACE_TRY(parse_words(words, options, kDumpHelp));
  HEADRACE_TRY(check_options(s));
  if (s.api != "posix" && s.api != "stdio" && s.api != "null")
    return Status(Code::kInvalid, "--api: dumps are written by posix or stdio (or null), not by " + s.api);
  dump.block = block.value_or(dump.block);
  dump.seed = s.seed;
  s.make = [dump, psets = s.text](int ranks) mutable {
    dump.ranks = ranks;
    dump.psets = *psets;
    return workload::make_dump(dump);
  };
  s.figures = [dump, psets = s.text](const MeasuredPhases& phases, int ranks) mutable {
    dump.ranks = ranks;
    dump.psets = *psets;
    return dump_figures(dump, phases);
  };
  return s;
}

}  // namespace headrace::programs
