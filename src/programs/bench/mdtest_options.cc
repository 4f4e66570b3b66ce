#include "programs/bench/common_options.h"
#include "workload/plan/mdtest.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr char kMdtestHelp[] =
    "Usage: headrace bench mdtest [OPTION]...\n"
    "Ranks make, look at, read and remove many directories and files.\n"
    "\n"
    "      --files N         of each rank (default: 1000)\n"
    "      --directories N   of each rank (default: as many as files)\n"
    "      --per-directory N of both, in each directory of the tree, instead\n"
    "      --depth N         levels of the tree below its root (default: 0)\n"
    "      --branch N        directories in each of its directories (default: 1)\n"
    "      --unique          each rank has a tree of its own\n"
    "      --bytes SIZE      of each file (default: 0)\n"
    "      --shift N         rank r stats and reads what rank r + N made\n"
    "\n" HEADRACE_BENCH_COMMON_HELP
    "\n"
    "Rates are operations of all ranks a second, by the time of the slowest one.\n"
    "A creation is with closing, and with writing if there are bytes; a read is of\n"
    "all, from opening to closing.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 4 headrace bench mdtest --files 1000 --depth 2 --branch 3 --unique\n";

}  // namespace

Result<BenchSettings> parse_mdtest(const std::vector<std::string>& words) {
  BenchSettings s;
  s.api = "posix";
  s.rates_of_operations = true;
  workload::MdtestSettings mdtest;
  uint64_t directories = UINT64_MAX;
  Options options = {{"files", number(&mdtest.files, UINT32_MAX)},
                     {"directories", number(&directories, UINT32_MAX)},
                     {"per-directory", number(&mdtest.per_directory, UINT32_MAX)},
                     {"depth", number(&mdtest.depth, UINT32_MAX)},
                     {"branch", number(&mdtest.branch, UINT32_MAX)},
                     {"unique", flag(&mdtest.unique)},
                     {"bytes", size(&mdtest.bytes)},
                     {"shift", number(&mdtest.shift)}};
  options.merge(common_options(s));
  HEADRACE_TRY(parse_words(words, options, kMdtestHelp));
  HEADRACE_TRY(check_options(s));
  if (s.api != "posix" && s.api != "stdio")
    return Status(Code::kInvalid, "--api: directories and files are made by posix or stdio, not by " + s.api);
  if (directories != UINT64_MAX) mdtest.directories = directories;
  s.make = [mdtest](int ranks) mutable {
    mdtest.ranks = ranks;
    return workload::make_mdtest(mdtest);
  };
  return s;
}

}  // namespace headrace::programs
