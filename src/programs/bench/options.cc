#include "programs/bench/options.h"

namespace headrace::programs {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr char kBenchHelp[] =
    "Usage: headrace bench PATTERN [OPTION]...\n"
    "Runs an I/O workload and measures it. Under mpirun or srun all ranks take part.\n"
    "\n"
    "Patterns:\n"
    "  ior         blocks of a shared file, or of a file for each process\n"
    "  h5perf      an array of one to three dimensions, part by part\n"
    "  flash       checkpoints and plot files of an adaptive mesh code\n"
    "  macsio      parts of a mesh, each variable a dataset, files written by turns\n"
    "  links       groups, small datasets and hard links, made and visited\n"
    "  combustion  checkpoints by nodes: files of their own, or one for all\n"
    "  dump        dumps of pF3D: leaders write for groups of ranks\n"
    "  startup     the same files for every rank: read by each, or broadcast\n"
    "  mdtest      many directories and files: made, looked at, read, removed\n"
    "  replay      what a recorded job did\n"
    "\n"
    "And of their figures:\n"
    "  paper       measure the tables of a publication, or of your study, again\n"
    "  parquet     figures of one or many runs as a table\n"
    "  facility    make up a whole facility of which everything is known\n"
    "\n"
    "And:\n"
    "  calibrate   measure what a file system costs, for --emulate elsewhere\n"
    "\n"
    "`headrace bench PATTERN --help` says what a pattern has for options.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 4 headrace bench ior --block 64M --transfer 1M --dir /scratch/me\n";

using Parse = Result<BenchSettings> (*)(const std::vector<std::string>&);
constexpr std::pair<const char*, Parse> kPatterns[] = {
    {"ior", parse_ior},       {"h5perf", parse_h5perf},         {"flash", parse_flash},
    {"macsio", parse_macsio}, {"combustion", parse_combustion}, {"dump", parse_dump},
    {"replay", parse_replay}, {"links", parse_links},           {"startup", parse_startup},
    {"mdtest", parse_mdtest},
};

std::string names() {
  std::string text;
  for (const auto& [name, parse] : kPatterns) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

}  // namespace

Result<BenchSettings> parse_bench(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return Status(Code::kInvalid, "name a pattern: " + names());
  const std::string& pattern = arguments[0];
  if (pattern == "--help" || pattern == "-h") return Status(Code::kNotFound, kBenchHelp);
  const std::vector<std::string> words(arguments.begin() + 1, arguments.end());
  for (const auto& [name, parse] : kPatterns) {
    if (pattern != name) continue;
    HEADRACE_ASSIGN(BenchSettings settings, parse(words));
    settings.pattern = pattern;
    return settings;
  }
  return Status(Code::kInvalid, "there is no pattern '" + pattern + "'; there are " + names());
}

}  // namespace headrace::programs
