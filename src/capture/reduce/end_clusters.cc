#include "capture/reduce/end_clusters.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/hash.h"
#include "capture/harvest/function_names.h"
#include "capture/reduce/named_sums.h"
#include "capture/reduce/rank_clusters.h"
#include "intercept/library_functions.h"

namespace headrace::capture {
namespace {

using base::Result;
using base::Status;

/// Rows of profiles have names; what ranks tell each other are numbers.
std::map<std::pair<std::string_view, std::string_view>, uint16_t> numbers_of_functions() {
  std::map<std::pair<std::string_view, std::string_view>, uint16_t> numbers;
  const auto add = [&](uint32_t function) {
    const FunctionName name = function_name_of(static_cast<uint16_t>(function));
    if (name.name != nullptr) numbers.emplace(std::pair(name.layer, name.name), static_cast<uint16_t>(function));
  };
  for (uint32_t i = 0; i < kMaximumFunctions; ++i) add(i);
  for (uint32_t i = 0; i < static_cast<uint32_t>(intercept::LibraryFn::kCount); ++i) add(i | kLibraryFunction);
  return numbers;
}

class EndClusters {
 public:
  EndClusters(base::Communicator& ranks, const SpoolContents& mine)
      : ranks_(ranks), mine_(mine), numbers_(numbers_of_functions()) {}

  Result<model::Clusters> run() {
    std::vector<std::string> phases;
    HEADRACE_TRY(agree_on_phases(&phases));
    HEADRACE_TRY(cluster("", &mine_.profiles));
    for (const std::string& path : phases) {
      const auto found = std::find_if(mine_.phases.finished.begin(), mine_.phases.finished.end(),
                                      [&](const model::Phase& each) { return is_whole(each) && each.path == path; });
      HEADRACE_TRY(cluster(path, found == mine_.phases.finished.end() ? nullptr : &found->profiles));
    }
    return std::move(out_);
  }

 private:
  static bool is_whole(const model::Phase& phase) { return phase.instance == 0 && phase.instances > 0; }

  Status agree_on_phases(std::vector<std::string>* phases) {
    NamedSums times;
    for (const model::Phase& each : mine_.phases.finished)
      if (is_whole(each)) times[each.path] = {each.time_ns};
    HEADRACE_TRY(sum_at_first(ranks_, &times));
    std::vector<std::pair<uint64_t, std::string>> longest;
    for (const auto& [path, time] : times) longest.emplace_back(time.at(0), path);
    std::stable_sort(longest.begin(), longest.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (size_t i = 0; i < std::min(longest.size(), kPhasesClustered); ++i) phases->push_back(longest[i].second);
    out_.phases_left_out = longest.size() - phases->size();
    return tell_texts(ranks_, phases);
  }

  /// `profiles`: what this rank did there; null: it never was.
  Status cluster(const std::string& path, const std::vector<model::Profile>* profiles) {
    RankTimes times;
    times.asked = base::hash_text(path);
    times.missing = profiles == nullptr;
    if (profiles != nullptr) {
      for (const model::Profile& each : *profiles) {
        const auto number = numbers_.find({each.layer, each.function});
        if (number != numbers_.end()) times.times.push_back({number->second, each.own_ns});
      }
    }
    HEADRACE_ASSIGN(const RankClusters all, cluster_ranks(ranks_, times));
    if (all.functions.empty() || all.found.clusters.empty()) return {};
    const uint32_t cluster = all.found.assigned.at(0);
    if (cluster != cluster::kNoCluster)
      out_.of_rank.push_back(
          {path, cluster, all.found.clusters[cluster].representative, all.is_outlier(), times.missing, true});
    if (clustered_++ % ranks_.size() == ranks_.rank()) keep_stats(path, all);
    return {};
  }

  void keep_stats(const std::string& path, const RankClusters& all) {
    for (size_t i = 0; i < all.found.clusters.size(); ++i) {
      const cluster::Cluster& from = all.found.clusters[i];
      model::ClusterStats stats{path, i, from.regular, from.with_outliers - from.regular, from.representative, {}};
      for (size_t column = 0; column < all.functions.size(); ++column) {
        const FunctionName name = function_name_of(all.functions[column]);
        stats.features.push_back(
            {name.layer, name.name, from.mean[column], from.variance[column], from.least[column], from.most[column]});
      }
      out_.stats.push_back(std::move(stats));
    }
  }

  base::Communicator& ranks_;
  const SpoolContents& mine_;
  const std::map<std::pair<std::string_view, std::string_view>, uint16_t> numbers_;
  model::Clusters out_;
  int clustered_ = 0;
};

}  // namespace

Result<model::Clusters> cluster_at_end(base::Communicator& ranks, const SpoolContents& mine) {
  return EndClusters(ranks, mine).run();
}

bool stands_for_itself(const model::Clusters& clusters, uint64_t rank) {
  return std::any_of(clusters.of_rank.begin(), clusters.of_rank.end(),
                     [&](const model::ClusterMember& each) { return each.outlier || each.representative == rank; });
}

}  // namespace headrace::capture
