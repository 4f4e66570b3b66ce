#include "capture/reduce/rank_clusters.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/collectives.h"
#include "capture/harvest/function_names.h"
#include "intercept/library_functions.h"

namespace headrace::capture {
namespace {

using base::Result;
using base::Status;

// Functions as bits, those of libraries behind the others.
constexpr uint32_t kFunctions = kMaximumFunctions + static_cast<uint32_t>(intercept::LibraryFn::kCount);

uint32_t place_of(uint16_t function) {
  return function & kLibraryFunction ? kMaximumFunctions + (function & ~uint32_t{kLibraryFunction}) : function;
}

uint16_t function_at(uint32_t place) {
  return static_cast<uint16_t>(place < kMaximumFunctions ? place : (place - kMaximumFunctions) | kLibraryFunction);
}

enum Word : size_t { kLeastAsked, kMostAsked, kMissing, kBits };

void add_agreement(std::span<uint64_t> into, std::span<const uint64_t> other) {
  into[kLeastAsked] = std::min(into[kLeastAsked], other[kLeastAsked]);
  into[kMostAsked] = std::max(into[kMostAsked], other[kMostAsked]);
  into[kMissing] += other[kMissing];
  for (size_t i = kBits; i < into.size(); ++i) into[i] |= other[i];
}

std::string column_name(uint16_t function) {
  const FunctionName name = function_name_of(function);
  return std::string(name.layer) + ":" + name.name;
}

/// In the order of columns off line: sums of floating-point numbers depend on it.
std::vector<uint16_t> columns_of(std::span<const uint64_t> words) {
  std::vector<std::pair<std::string, uint16_t>> named;
  for (uint32_t place = 0; place < kFunctions; ++place) {
    if ((words[kBits + place / 64] >> (place % 64) & 1) == 0) continue;
    named.emplace_back(column_name(function_at(place)), function_at(place));
  }
  std::sort(named.begin(), named.end());
  std::vector<uint16_t> columns;
  for (const auto& each : named) columns.push_back(each.second);
  return columns;
}

}  // namespace

double RankClusters::distance() const {
  double sum = 0;
  if (found.assigned.at(0) == cluster::kNoCluster) return sum;
  const std::vector<double>& other = found.clusters[found.assigned[0]].representative_values;
  for (size_t i = 0; i < mine.size(); ++i) sum += std::fabs(mine[i] - other[i]);
  return sum;
}

Result<RankClusters> cluster_ranks(base::Communicator& ranks, const RankTimes& mine, uint64_t seed) {
  std::vector<uint64_t> words(kBits + (kFunctions + 63) / 64);
  words[kLeastAsked] = words[kMostAsked] = mine.asked;
  words[kMissing] = mine.missing ? 1 : 0;
  for (const FunctionTime& each : mine.times) {
    const uint32_t place = place_of(each.function);
    if (place < kFunctions && function_name_of(each.function).name != nullptr)
      words[kBits + place / 64] |= uint64_t{1} << (place % 64);
  }
  HEADRACE_TRY(base::all_reduce(ranks, words, add_agreement));
  RankClusters out;
  out.different = words[kLeastAsked] != words[kMostAsked];
  out.missing = words[kMissing];
  out.functions = columns_of(words);
  if (out.different || out.functions.empty()) return out;
  out.mine.assign(out.functions.size(), 0);
  for (const FunctionTime& each : mine.times) {
    const auto column = std::find(out.functions.begin(), out.functions.end(), each.function);
    if (column != out.functions.end())
      out.mine[static_cast<size_t>(column - out.functions.begin())] += static_cast<double>(each.own_ns) * 1e-9;
  }
  cluster::Options options;
  options.seed = seed;
  options.normalisation = cluster::Normalisation::kNone;
  const cluster::Points row{out.mine.data(), 1, static_cast<uint32_t>(out.mine.size()), true};
  HEADRACE_ASSIGN(out.found, cluster::cluster(ranks, row, options));
  return out;
}

}  // namespace headrace::capture
