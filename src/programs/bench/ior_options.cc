#include "programs/bench/common_options.h"
#include "programs/bench/short_words.h"
#include "workload/plan/ior.h"

namespace headrace::programs {
namespace {

using base::Result;
using base::Status;

constexpr char kIorHelp[] =
    "Usage: headrace bench ior [OPTION]...\n"
    "Each rank writes its blocks, transfer by transfer, and reads them again.\n"
    "\n"
    "      --block SIZE      of a rank in each segment (default: 16M)\n"
    "      --transfer SIZE   of one call (default: 1M)\n"
    "      --segments N      each has a block of every rank (default: 1)\n"
    "      --per-process     a file for each process, not one for all\n"
    "      --random          transfers of a rank in an order that looks random\n"
    "      --reorder N       rank r reads what rank r + N wrote (default: 0)\n"
    "      --sync            each rank calls fsync before it closes what it wrote\n"
    "      --write, --read   that alone (default: both)\n"
    "      --iterations N    of all, each with new files (default: 1)\n"
    "      --direct          posix: past the page cache (O_DIRECT)\n"
    "\n"
    "IOR's own letters mean the same: -a -b -B -c -C -e -F -i -J -k -o -Q -r -s -t\n"
    "-w -z. -g, -R, -v and -W change nothing: that is done anyway.\n"
    "\n" HEADRACE_BENCH_COMMON_HELP HEADRACE_BENCH_PARALLEL_HELP HEADRACE_BENCH_HDF5_HELP
    "\n"
    "Rates are in MB/s, 10^6 bytes: what all ranks moved, by the time of the\n"
    "slowest one from opening to closing. What is read is looked at in places;\n"
    "that all of it is right a second reading shows, which is not measured.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 4 headrace bench ior --api mpiio --collective --transfer 64K\n";

constexpr uint64_t kSector = 4096;  // what files systems ask of O_DIRECT at most

/// IOR's path of the file: here that of the directory for it.
Option file_of(BenchSettings& s) {
  return {false, [&s](const std::string& value) {
            const size_t slash = value.rfind('/');
            if (slash != value.npos) s.directory = slash == 0 ? "/" : value.substr(0, slash);
            s.name = slash == value.npos ? value : value.substr(slash + 1);
            return s.name.empty() ? base::invalid("'" + value + "' ends without a name") : Status();
          }};
}

const std::initializer_list<ShortOption> kIorLetters = {
    {'a', "api"},
    {'b', "block"},
    {'B', "direct"},
    {'c', "collective"},
    {'C', "reorder", "1"},
    {'e', "sync"},
    {'F', "per-process"},
    {'g'},
    {'i', "iterations"},
    {'J', "align"},
    {'k', "keep"},
    {'o', "file"},
    {'Q', "reorder"},
    {'r', "read"},
    {'R'},
    {'s', "segments"},
    {'t', "transfer"},
    {'v'},
    {'w', "write"},
    {'W'},
    {'z', "random"},
    {'D', nullptr, nullptr, "a run has no deadline; give it fewer --segments"},
    {'d', nullptr, nullptr, "iterations follow each other at once"},
    {'E', nullptr, nullptr, "a run makes its files; to read those of another one give --read --name"},
    {'N', nullptr, nullptr, "the launcher says how many ranks there are: mpirun -n N"},
    {'T', nullptr, nullptr, "a run has no deadline; give it fewer --segments"},
    {'Y', nullptr, nullptr, "there is no fsync behind each write; --sync has one before a file is closed"},
};

}  // namespace

Result<BenchSettings> parse_ior(const std::vector<std::string>& words) {
  BenchSettings s;
  s.api = "posix";
  workload::IorSettings ior;
  bool write = false, read = false;
  Options options = {{"block", size(&ior.block)},
                     {"transfer", size(&ior.transfer)},
                     {"segments", number(&ior.segments, UINT32_MAX)},
                     {"per-process", flag(&ior.per_process)},
                     {"random", flag(&ior.random)},
                     {"reorder", number(&ior.reorder)},
                     {"sync", flag(&ior.sync)},
                     {"iterations", number(&s.iterations, 1'000'000)},
                     {"direct", flag(&s.backend.direct)},
                     {"posix.odirect", flag(&s.backend.direct)},
                     {"file", file_of(s)},
                     {"write", flag(&write)},
                     {"read", flag(&read)}};
  options.merge(common_options(s));
  options.merge(parallel_options(s));
  options.merge(hdf5_options(s));
  HEADRACE_ASSIGN(const std::vector<std::string> all, long_words(words, options, kIorLetters));
  HEADRACE_TRY(parse_words(all, options, kIorHelp));
  HEADRACE_TRY(check_options(s));
  HEADRACE_TRY(choose_directions(s, write, read, &ior.write, &ior.read));
  if (s.iterations == 0) return base::invalid("--iterations is 1 or more");
  if (s.backend.direct && s.api != "posix") return base::invalid("--direct is of --api posix");
  if (s.backend.direct && (ior.transfer % kSector != 0 || ior.block % kSector != 0))
    return base::invalid("--direct takes --block and --transfer that are multiples of " + std::to_string(kSector));
  ior.seed = s.seed;
  s.make = [ior](int ranks) mutable {
    ior.ranks = ranks;
    return workload::make_ior(ior);
  };
  return s;
}

}  // namespace headrace::programs
