#include "programs/bench/options.h"

namespace headrace::programs {

using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr char kHelp[] =
    "Usage: headrace bench PATTERN [OPTION]...\n"
    "Runs an I/O workload and measures it. Under mpirun or srun all ranks take part.\n"
    "\n"
    "Patterns:\n"
    "  ior     blocks of a shared file, or of a file for each process\n"
    "  h5perf  an array of one to three dimensions, part by part\n"
    "\n"
    "`headrace bench PATTERN --help` says what a pattern has for options.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 4 headrace bench ior --block 64M --transfer 1M --dir /scratch/me\n";

}  // namespace

Result<BenchSettings> parse_bench(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return Status(Code::kInvalid, "name a pattern: ior or h5perf");
  const std::string& pattern = arguments[0];
  if (pattern == "--help" || pattern == "-h") return Status(Code::kNotFound, kHelp);
  const std::vector<std::string> words(arguments.begin() + 1, arguments.end());
  auto parsed = pattern == "ior" ? parse_ior(words)
                : pattern == "h5perf"
                    ? parse_h5perf(words)
                    : Status(Code::kInvalid, "there is no pattern '" + pattern + "'; there are ior and h5perf");
  if (parsed.ok()) parsed->pattern = pattern;
  return parsed;
}

}  // namespace headrace::programs
