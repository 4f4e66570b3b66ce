#include "programs/bench/options.h"

#include <stdlib.h>

#include <charconv>
#include <functional>
#include <map>

namespace headrace::programs {

using base::Code;
using base::Result;
using base::Status;

const char kBenchHelp[] =
    "Usage: headrace bench PATTERN [OPTION]...\n"
    "Runs an I/O workload and measures it. Under mpirun or srun all ranks take part.\n"
    "\n"
    "Patterns:\n"
    "  ior    blocks of a shared file, or of a file for each process\n"
    "\n"
    "`headrace bench PATTERN --help` says what a pattern has for options.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 4 headrace bench ior --block 64M --transfer 1M --dir /scratch/me\n";

const char kIorHelp[] =
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
    "\n"
    "      --api NAME        posix, stdio, mpiio, or null, which does nothing\n"
    "                        (default: posix)\n"
    "      --collective      mpiio: transfers of all ranks together\n"
    "      --hint KEY=VALUE  mpiio: of the file; again for more\n"
    "      --mpi LIBRARY     the MPI of the launcher, if it is not found by itself\n"
    "\n"
    "      --dir DIR         where the run makes a directory for its files\n"
    "                        (default: the working directory)\n"
    "      --name NAME       of that directory, to read it in a later run\n"
    "      --keep            leave the files there\n"
    "      --no-check        do not read all once more to compare every byte\n"
    "      --seed N          of contents and random orders (default: 1)\n"
    "      --json            all figures, as JSON\n"
    "  -q, --quiet           no progress\n"
    "      --help            show this\n"
    "\n"
    "Rates are in MB/s, 10^6 bytes: what all ranks moved, by the time of the\n"
    "slowest one from opening to closing. What is read is looked at in places;\n"
    "that all of it is right a second reading shows, which is not measured.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 4 headrace bench ior --api mpiio --collective --transfer 64K\n";

namespace {

using Setter = std::function<Status(const std::string&)>;
struct Option {
  bool flag;
  Setter set;
};
using Options = std::map<std::string, Option>;

Status mistake(const std::string& text) { return {Code::kInvalid, text}; }

Option flag(bool* to, bool value = true) {
  return {true, [=](const std::string&) { return *to = value, Status(); }};
}
Option text(std::string* to) {
  return {false, [to](const std::string& value) { return *to = value, Status(); }};
}

/// Digits alone: neither a sign nor what no 64 bits hold.
Status read_number(const std::string& value, size_t digits, uint64_t* to) {
  const auto [end, error] = std::from_chars(value.data(), value.data() + digits, *to);
  if (error != std::errc() || end != value.data() + digits || digits == 0)
    return mistake("'" + value + "' is no number that is meant here");
  return {};
}

template <typename Number>
Option number(Number* to, uint64_t most) {
  return {false, [=](const std::string& value) -> Status {
            uint64_t found = 0;
            HEADRACE_TRY(read_number(value, value.size(), &found));
            if (found > most) return mistake("'" + value + "' is more than " + std::to_string(most));
            *to = static_cast<Number>(found);
            return {};
          }};
}

/// "4M", "65536", "1G", "512K": powers of 1024.
Option size(uint64_t* to) {
  return {false, [=](const std::string& value) -> Status {
            const size_t digits = std::min(value.find_first_not_of("0123456789"), value.size());
            const std::string unit = value.substr(digits);
            constexpr const char* kUnits[] = {"", "K", "M", "G", "T"};
            for (unsigned power = 0; power < std::size(kUnits); ++power) {
              if (unit != kUnits[power] && unit != std::string(kUnits[power]) + "iB") continue;
              HEADRACE_TRY(read_number(value, digits, to));
              if (*to > (UINT64_MAX >> (10 * power))) break;
              *to <<= 10 * power;
              return {};
            }
            return mistake("'" + value + "' is no size, such as 65536, 64K, 4M or 1G");
          }};
}

Option hint(workload::BackendOptions* to) {
  return {false, [=](const std::string& value) {
            const size_t equals = value.find('=');
            if (equals == value.npos || equals == 0) return mistake("'" + value + "' is no KEY=VALUE");
            to->hints.emplace_back(value.substr(0, equals), value.substr(equals + 1));
            return Status();
          }};
}

Options common(BenchSettings& s) {
  return {{"api", text(&s.api)},
          {"collective", flag(&s.backend.collective)},
          {"hint", hint(&s.backend)},
          {"mpi", text(&s.mpi)},
          {"dir", text(&s.directory)},
          {"name", text(&s.name)},
          {"keep", flag(&s.keep)},
          {"no-check", flag(&s.check, false)},
          {"json", flag(&s.json)},
          {"quiet", flag(&s.quiet)},
          {"seed", number(&s.seed, UINT64_MAX)}};
}

Status parse(const std::vector<std::string>& words, const Options& options, const char* help) {
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string word = words[i] == "-q" ? "--quiet" : words[i];
    if (word == "--help" || word == "-h") return {Code::kNotFound, help};
    if (!word.starts_with("--")) return mistake("'" + word + "' is no option");
    const size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(2, equals - 2);
    const auto option = options.find(name);
    if (option == options.end()) return mistake("there is no option --" + name);
    const bool given = equals < word.size();
    if (option->second.flag && given) return mistake("--" + name + " has no value");
    if (!option->second.flag && !given && i + 1 == words.size()) return mistake("--" + name + " needs a value");
    const std::string value = given ? word.substr(equals + 1) : option->second.flag ? "" : words[++i];
    if (const Status status = option->second.set(value); !status.ok())
      return mistake("--" + name + ": " + status.message());
  }
  return {};
}

}  // namespace

Result<BenchSettings> parse_bench(const std::vector<std::string>& arguments) {
  BenchSettings s;
  if (arguments.empty()) return mistake("name a pattern: ior");
  if (arguments[0] == "--help" || arguments[0] == "-h") return Status(Code::kNotFound, kBenchHelp);
  s.pattern = arguments[0];
  if (s.pattern != "ior") return mistake("there is no pattern '" + s.pattern + "'; there is: ior");
  Options options = common(s);
  bool write = false, read = false;
  options.merge(Options{{"block", size(&s.ior.block)},
                        {"transfer", size(&s.ior.transfer)},
                        {"segments", number(&s.ior.segments, UINT32_MAX)},
                        {"per-process", flag(&s.ior.per_process)},
                        {"random", flag(&s.ior.random)},
                        {"reorder", number(&s.ior.reorder, INT32_MAX)},
                        {"sync", flag(&s.ior.sync)},
                        {"write", flag(&write)},
                        {"read", flag(&read)}});
  HEADRACE_TRY(parse({arguments.begin() + 1, arguments.end()}, options, kIorHelp));
  s.ior.write = write || !read;
  s.ior.read = read || !write;
  s.ior.seed = s.seed;
  if (s.api == "mpiio" && s.ior.transfer > INT32_MAX) return mistake("--transfer: MPI moves at most 2G - 1 at once");
  if (s.name.find('/') != s.name.npos || s.name == "." || s.name == "..")
    return mistake("--name: the name of a directory in --dir, not a path");
  if (!s.ior.write && s.name.empty())
    return mistake(
        "--read reads what a run with --write --keep --name NAME has left: "
        "give it the same --name, sizes and --seed");
  if (!s.ior.read && !s.keep) s.keep = !s.name.empty();
  return s;
}

}  // namespace headrace::programs
