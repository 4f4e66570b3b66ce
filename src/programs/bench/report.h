// What a run measured, for people and as JSON.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "programs/bench/options.h"
#include "workload/plan/pattern.h"

namespace headrace::programs {

struct BenchReport {
  const BenchSettings& settings;
  const workload::Pattern& pattern;
  int ranks = 1, nodes = 1;
  std::string mpi, directory;
  bool kept = false;
  std::vector<std::string> remarks;
  MeasuredPhases phases, checks;  // measured; and not

  std::vector<Figure> figures() const;  // those of the pattern
  bool right() const;                   // nothing that was read differs from what was written
};

std::string report_text(const BenchReport& report);
std::string report_json(const BenchReport& report);

}  // namespace headrace::programs
