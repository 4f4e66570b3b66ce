// `headrace bench replay`: a recorded job, done again.
#pragma once
#include <signal.h>

#include <string>

#include "programs/bench/options.h"
#include "workload/ranks/ranks.h"
#include "workload/replay/fidelity.h"

namespace headrace::programs {

struct ReplaySettings {
  std::string job;  // path of its log or trace
  bool think = false, fold = false;
};

struct ReplayReport {
  const BenchSettings& settings;
  const ReplaySettings& replay;
  const workload::replay::Recording& job;
  const workload::replay::Plan& plan;
  const workload::replay::Fidelity& fidelity;
  const workload::replay::Played& counts;                      // of all ranks
  const std::vector<workload::replay::FunctionFigures>& sums;  // of all ranks, by function
  int ranks = 1, nodes = 1;
  std::string mpi, directory;
  bool kept = false;
};

std::string replay_text(const ReplayReport& report);
std::string replay_json(const ReplayReport& report);

/// The exit status. All ranks go through it together.
int replay(const BenchSettings& settings, const ReplaySettings& replay, workload::Ranks& ranks, int nodes,
           const volatile sig_atomic_t* stop);

}  // namespace headrace::programs
