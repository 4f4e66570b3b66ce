#include "programs/bench/common_options.h"
#include "programs/bench/text.h"
#include "workload/plan/macsio.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;
using workload::PhaseFigures;
using workload::Verb;

constexpr char kMacsioHelp[] =
    "Usage: headrace bench macsio [OPTION]...\n"
    "Each rank has parts of a mesh. Ranks are in groups, each with a file, which\n"
    "they write one after the other; every variable of every part is a dataset.\n"
    "\n"
    "      --files N         groups, at most one for each rank (default: 1)\n"
    "      --part-size SIZE  of a variable of a part, written at once (default: 4K)\n"
    "      --parts N         of a rank on average, such as 3.5 (default: 1)\n"
    "      --variables N     of a part (default: 20)\n"
    "      --chunk SIZE      of a dataset (default: contiguous)\n"
    "      --write, --read   that alone (default: both)\n"
    "\n"
    "MACSio's own names mean the same: --interface, --parallel_file_mode MIF N,\n"
    "--part_size, --avg_num_parts, --vars_per_part.\n"
    "\n" HEADRACE_BENCH_COMMON_HELP HEADRACE_BENCH_HDF5_HELP
    "\n"
    "Rates are in MB/s, 10^6 bytes: all bytes from the first rank's start to the\n"
    "last one's end (pessimist), and the sum of what each rank has by its own time,\n"
    "in which it waits for its turn (summed). Seconds are of all ranks together.\n"
    "\n"
    "Example:\n"
    "  mpirun -n 8 headrace bench macsio --files 2 --parts 3.5 --variables 500 \\\n"
    "    --page-size 1M --page-buffer 100M --emulate 200us\n";

struct Times {
  double open, mesh, datasets, transfers, close_datasets, close;  // seconds of all ranks
};

Times times_of(const PhaseFigures& all) {
  const auto seconds = [&](std::initializer_list<Verb> verbs) {
    double sum = 0;
    for (const Verb verb : verbs) sum += static_cast<double>(all[verb].ns) / 1e9;
    return sum;
  };
  Times times{};
  times.open = seconds({Verb::kCreate, Verb::kOpenToWrite, Verb::kOpen});
  times.datasets = seconds({Verb::kMakeDataset, Verb::kOpenDataset});
  times.transfers = seconds({Verb::kWrite, Verb::kRead});
  times.close = seconds({Verb::kClose});
  times.close_datasets = seconds({Verb::kCloseDataset});
  times.mesh = times.datasets + times.transfers + times.close_datasets + seconds({Verb::kMakeGroup});
  return times;
}

std::string profile_json(const Times& t) {
  return format(
      "{\"open\": %.6f, \"mesh\": %.6f, \"datasets\": %.6f, \"transfers\": %.6f, "
      "\"close_datasets\": %.6f, \"close\": %.6f}",
      t.open, t.mesh, t.datasets, t.transfers, t.close_datasets, t.close);
}

/// By the names of the paper's tables.
std::string profile_text(const Times& t, bool writes) {
  return format("       seconds: %s %.3f, %s %.3f (%s %.3f, %s %.3f, H5Dclose %.3f), H5Fclose %.3f",
                writes ? "H5Fcreate and H5Fopen" : "H5Fopen", t.open, writes ? "write_mesh" : "read_mesh", t.mesh,
                writes ? "H5Dcreate" : "H5Dopen", t.datasets, writes ? "H5Dwrite" : "H5Dread", t.transfers,
                t.close_datasets, t.close);
}

std::vector<Figure> macsio_figures(const MeasuredPhases& phases, bool hdf5) {
  std::vector<Figure> all;
  for (const auto& [phase, sum] : phases) {
    const bool writes = phase.direction == Verb::kWrite;
    const char* name = phase.name.c_str();
    const double elapsed = static_cast<double>(sum.elapsed_ns) / 1e9;
    const double summed = sum.summed_rate / 1e6;
    const double pessimist = elapsed > 0 ? static_cast<double>(sum.all.bytes()) / elapsed / 1e6 : 0;
    all.push_back({phase.name + "_summed_mbps", format("%.3f", summed),
                   format("%-6s summed %.1f MB/s, pessimist %.1f MB/s", name, summed, pessimist)});
    all.push_back({phase.name + "_pessimist_mbps", format("%.3f", pessimist), ""});
    const Times t = times_of(sum.all);
    all.push_back({phase.name + "_profile", profile_json(t), hdf5 ? profile_text(t, writes) : ""});
  }
  return all;
}

/// MACSio's --parallel_file_mode, which has two words, as --files.
Result<std::vector<std::string>> files_of_mode(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] != "--parallel_file_mode") {
      all.push_back(words[i]);
      continue;
    }
    if (i + 2 >= words.size() || words[i + 1] != "MIF")
      return base::invalid(
          "--parallel_file_mode: MIF and a number of files; a single shared file (SIF) is not made here");
    all.insert(all.end(), {"--files", words[i + 2]});
    i += 2;
  }
  return all;
}

}  // namespace

Result<BenchSettings> parse_macsio(const std::vector<std::string>& words) {
  BenchSettings s;
  s.api = "hdf5";
  s.backend.objects = true;
  workload::MacsioSettings macsio;
  bool write = false, read = false;
  Options options = {{"files", number(&macsio.files, UINT32_MAX)},
                     {"part-size", size(&macsio.part)},
                     {"parts", decimal(&macsio.parts)},
                     {"variables", number(&macsio.variables, UINT32_MAX)},
                     {"chunk", size(&macsio.chunk)},
                     {"interface", interface(&s.api)},
                     {"part_size", size(&macsio.part)},
                     {"avg_num_parts", decimal(&macsio.parts)},
                     {"vars_per_part", number(&macsio.variables, UINT32_MAX)},
                     {"write", flag(&write)},
                     {"read", flag(&read)}};
  options.merge(common_options(s));
  options.merge(hdf5_options(s));
  HEADRACE_ASSIGN(const std::vector<std::string> all, files_of_mode(words));
  HEADRACE_TRY(parse_words(all, options, kMacsioHelp));
  HEADRACE_TRY(check_options(s));
  HEADRACE_TRY(choose_directions(s, write, read, &macsio.write, &macsio.read));
  macsio.seed = s.seed;
  s.make = [macsio](int ranks) mutable {
    macsio.ranks = ranks;
    return workload::make_macsio(macsio);
  };
  s.figures = [hdf5 = s.api == "hdf5"](const MeasuredPhases& phases, int) { return macsio_figures(phases, hdf5); };
  return s;
}

}  // namespace headrace::programs
