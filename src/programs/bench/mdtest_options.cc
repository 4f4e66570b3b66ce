#include "programs/bench/common_options.h"
#include "programs/bench/short_words.h"
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
    "      --only-files, --only-directories\n"
    "      --iterations N    of all (default: 1)\n"
    "\n"
    "mdtest's own letters mean the same: -a -b -d -D -e -F -i -I -n -N -u -w -z. -v\n"
    "changes nothing.\n"
    "\n" HEADRACE_BENCH_COMMON_HELP
    "\n"
    "Rates are operations of all ranks a second, by the time of the slowest one.\n"
    "A creation is with closing, and with writing if there are bytes; a read is of\n"
    "all, from opening to closing.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 4 headrace bench mdtest --files 1000 --depth 2 --branch 3 --unique\n";

constexpr char kAllPhases[] = "all is made, looked at, read and removed in each run";
const std::initializer_list<ShortOption> kMdtestLetters = {
    {'a', "api"},
    {'b', "branch"},
    {'d', "dir"},
    {'D', "only-directories"},
    {'e', "read-bytes"},
    {'F', "only-files"},
    {'i', "iterations"},
    {'I', "per-directory"},
    {'n', "files"},
    {'N', "shift"},
    {'u', "unique"},
    {'v'},
    {'w', "bytes"},
    {'z', "depth"},
    {'C', nullptr, nullptr, kAllPhases},
    {'E', nullptr, nullptr, kAllPhases},
    {'L', nullptr, nullptr, "files are spread over all directories of the tree"},
    {'r', nullptr, nullptr, kAllPhases},
    {'R', nullptr, nullptr, "files are looked at in their order; --shift takes those of other ranks"},
    {'T', nullptr, nullptr, kAllPhases},
    {'y', nullptr, nullptr, "there is no fsync here"},
};

}  // namespace

Result<BenchSettings> parse_mdtest(const std::vector<std::string>& words) {
  BenchSettings s;
  s.api = "posix";
  s.rates_of_operations = true;
  workload::MdtestSettings mdtest;
  uint64_t directories = UINT64_MAX, read_bytes = UINT64_MAX;
  bool only_files = false, only_directories = false;
  Options options = {{"files", number(&mdtest.files, UINT32_MAX)},
                     {"directories", number(&directories, UINT32_MAX)},
                     {"per-directory", number(&mdtest.per_directory, UINT32_MAX)},
                     {"depth", number(&mdtest.depth, UINT32_MAX)},
                     {"branch", number(&mdtest.branch, UINT32_MAX)},
                     {"unique", flag(&mdtest.unique)},
                     {"only-files", flag(&only_files)},
                     {"only-directories", flag(&only_directories)},
                     {"read-bytes", size(&read_bytes)},
                     {"iterations", number(&s.iterations, 1'000'000)},
                     {"bytes", size(&mdtest.bytes)},
                     {"shift", number(&mdtest.shift)}};
  options.merge(common_options(s));
  HEADRACE_ASSIGN(const std::vector<std::string> all, long_words(words, options, kMdtestLetters));
  HEADRACE_TRY(parse_words(all, options, kMdtestHelp));
  HEADRACE_TRY(check_options(s));
  if (s.api != "posix" && s.api != "stdio")
    return Status(Code::kInvalid, "--api: directories and files are made by posix or stdio, not by " + s.api);
  if (s.iterations == 0) return base::invalid("--iterations is 1 or more");
  if (read_bytes != UINT64_MAX && read_bytes != mdtest.bytes)
    return base::invalid("--read-bytes: files are read whole, which is --bytes " + std::to_string(mdtest.bytes));
  if (only_files && only_directories) return base::invalid("--only-files and --only-directories leave nothing to do");
  if ((only_files || only_directories) && mdtest.per_directory > 0)
    return base::invalid("--per-directory is of both files and directories; give --files or --directories");
  if (directories != UINT64_MAX) mdtest.directories = directories;
  if (only_directories && !mdtest.directories) mdtest.directories = mdtest.files;
  if (only_directories) mdtest.files = 0;
  if (only_files) mdtest.directories = 0;
  s.make = [mdtest](int ranks) mutable {
    mdtest.ranks = ranks;
    return workload::make_mdtest(mdtest);
  };
  return s;
}

}  // namespace headrace::programs
