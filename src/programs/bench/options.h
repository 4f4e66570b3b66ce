// The command line of `headrace bench`.
#pragma once
#include <signal.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/backend/backend.h"
#include "workload/plan/pattern.h"
#include "workload/run/figures.h"

namespace headrace::programs {

/// What users of a pattern ask for beyond what is told of every run.
struct Figure {
  std::string name, json;  // its value in JSON
  std::string text;        // a line for people; "" = none
};
using MeasuredPhases = std::vector<std::pair<workload::Phase, workload::PhaseSum>>;

struct BenchSettings {
  std::string pattern;
  std::string api, directory = ".", name, mpi;  // mpi: its library; "" = the launcher's
  std::string emulate;                          // done by who has started this (programs/headrace/bench.cc)
  std::string emulated;                         // and what that came to, as JSON
  workload::BackendOptions backend;
  std::string parquet;  // the file for figures; "" = none
  bool check = true, keep = false, json = false, quiet = false;
  bool only_reads = false;           // what an earlier run has left
  bool rates_of_transfers = false;   // write_mbps and read_mbps leave opening and closing out
  bool rates_of_operations = false;  // rates are of operations, not of bytes
  bool check_at_end = false;         // no phase reads, and all is compared behind the last one
  uint64_t seed = 1;
  uint64_t iterations = 1;  // of all phases
  /// A file of the command line that the pattern follows from: all ranks get what rank 0 reads in it before `make`,
  /// since another node may have another file of that name.
  std::string text_file;
  std::shared_ptr<std::string> text = std::make_shared<std::string>();
  /// The pattern for so many ranks.
  std::function<base::Result<std::unique_ptr<workload::Pattern>>(int)> make;
  /// Figures of its own, of so many ranks; may be empty.
  std::function<std::vector<Figure>(const MeasuredPhases&, int)> figures;
  /// Of what is no pattern: all of the run on so many nodes, until a signal is noted. Gives the exit status.
  std::function<int(const BenchSettings&, workload::Ranks&, int, const volatile sig_atomic_t*)> run;
};

/// kNotFound: help was asked for, and is the message. kInvalid: a mistake, in words.
base::Result<BenchSettings> parse_bench(const std::vector<std::string>& arguments);

// Of one pattern each: the words behind its name.
base::Result<BenchSettings> parse_ior(const std::vector<std::string>& words);
base::Result<BenchSettings> parse_combustion(const std::vector<std::string>& words);
base::Result<BenchSettings> parse_dump(const std::vector<std::string>& words);
base::Result<BenchSettings> parse_mdtest(const std::vector<std::string>& words);
base::Result<BenchSettings> parse_startup(const std::vector<std::string>& words);
base::Result<BenchSettings> parse_h5perf(const std::vector<std::string>& words);
base::Result<BenchSettings> parse_links(const std::vector<std::string>& words);
base::Result<BenchSettings> parse_macsio(const std::vector<std::string>& words);
base::Result<BenchSettings> parse_flash(const std::vector<std::string>& words);
base::Result<BenchSettings> parse_replay(const std::vector<std::string>& words);

}  // namespace headrace::programs
