#include "cluster/cluster.h"

#include <algorithm>

#include "base/collectives.h"
#include "cluster/assign.h"
#include "cluster/beside.h"
#include "cluster/capek.h"
#include "cluster/groups.h"
#include "cluster/lots.h"
#include "cluster/refine.h"

namespace headrace::cluster {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr uint64_t kSampleStream = 1, kSuspectStream = 2;
constexpr int kMostSamples = 3;
constexpr uint32_t kMostFound = 64;  // clusters of the sample; groups come beside

class Run {
 public:
  Run(base::Communicator& ranks, const Points& mine, const Options& options)
      : ranks_(ranks), mine_(mine), options_(options), dims_(mine.rows > 0 ? mine.dims : 0) {}

  Result<Clustering> run() {
    HEADRACE_TRY(number());
    HEADRACE_TRY(take_sample());
    HEADRACE_TRY(send_model());
    if (model_.k() == 0) {
      done_.unusable = done_.rows;
      done_.assigned.assign(mine_.rows, kNoCluster);
      done_.score.assign(mine_.rows, 0);
      return std::move(done_);
    }
    HEADRACE_ASSIGN(Tally tally, assign_all());
    if (options_.k == 0 && tally.suspects() >= kLeastGroup) {
      HEADRACE_ASSIGN(const bool added, look_for_groups(tally.suspects()));
      while (added) {
        HEADRACE_ASSIGN(Tally again, assign_all());
        if (drop_small_groups(again)) continue;
        return finish(again);
      }
    }
    return finish(tally);
  }

 private:
  /// How many rows there are, of how many dimensions, and which are this rank's.
  Status number() {
    uint64_t facts[] = {dims_, mine_.rows > 0 ? ~uint64_t{dims_} : 0, options_.k};
    HEADRACE_TRY(base::all_reduce(ranks_, facts, [](uint64_t a, uint64_t b) { return a > b ? a : b; }));
    HEADRACE_TRY(
        base::all_reduce(ranks_, {&(done_.rows = mine_.rows), 1}, [](uint64_t a, uint64_t b) { return a + b; }));
    HEADRACE_ASSIGN(done_.first, base::exclusive_sum(ranks_, mine_.rows));
    if (done_.rows == 0) return {};
    if (facts[0] != ~facts[1]) return {Code::kInvalid, "rows have different numbers of dimensions"};
    if (facts[0] == 0) return {Code::kInvalid, "rows have no dimensions: there is nothing to cluster by"};
    if (facts[0] > kMostDims || facts[2] > kMostClusters)
      return {Code::kLimit, "at most " + std::to_string(kMostDims) + " dimensions and " +
                                std::to_string(kMostClusters) + " clusters are possible"};
    dims_ = static_cast<uint32_t>(facts[0]);
    return {};
  }

  /// Rows that lots fall on, at rank 0. More are taken when few of them turn out to be usable.
  Status take_sample() {
    uint64_t wanted = kSampleRows;
    for (int i = 0; i < kMostSamples && wanted != 0; ++i) {
      const Lots lots(options_.seed, kSampleStream, wanted, done_.rows);
      HEADRACE_ASSIGN(sample_, bring(lots, [](size_t) { return true; }));
      if (ranks_.rank() == 0) {
        const size_t all = sample_.ids.size();
        keep_usable();
        const bool enough = 2 * sample_.ids.size() >= std::min<uint64_t>(all, kSampleRows) || lots.share() == 1;
        wanted = enough ? 0 : wanted * kSampleRows / std::max<uint64_t>(16, sample_.ids.size());
      } else {
        wanted = 0;
      }
      HEADRACE_TRY(base::all_reduce(ranks_, {&wanted, 1}, [](uint64_t a, uint64_t b) { return a + b; }));
    }
    return {};
  }

  template <typename Chosen>
  Result<Gathered> bring(const Lots& lots, Chosen chosen) {
    Parcel parcel(dims_);
    for (size_t i = 0; i < mine_.rows; ++i)
      if (chosen(i) && lots.fall_on(done_.first + i)) parcel.add(done_.first + i, mine_, i);
    return bring_to_first(ranks_, dims_, std::move(parcel));
  }

  void keep_usable() {
    size_t kept = 0;
    for (size_t i = 0; i < sample_.ids.size(); ++i) {
      const auto row = sample_.values.begin() + static_cast<ptrdiff_t>(i * dims_);
      if (!std::all_of(row, row + dims_, usable)) continue;
      std::copy(row, row + dims_, sample_.values.begin() + static_cast<ptrdiff_t>(kept * dims_));
      sample_.ids[kept++] = sample_.ids[i];
    }
    sample_.ids.resize(kept);
    sample_.values.resize(kept * dims_);
  }

  /// Rank 0 makes the model and everybody gets it; it has no clusters when no row is usable.
  Status send_model() {
    if (ranks_.rank() == 0 && !sample_.ids.empty()) {
      Space space = make_space(sample_.points(dims_), options_.normalisation, options_.seed);
      const Placed sample = place_all(space, sample_.points(dims_));
      Centres centres = find_centres(sample, dims_, options_.distance, options_.k, options_.seed);
      if (options_.k == 0) refine(sample, dims_, options_.distance, options_.seed, centres);
      Division division = divide(sample, centres, options_.distance);
      if (options_.k == 0) split_beside(sample, dims_, options_.seed, kMostFound, centres, division);
      model_ = make_model(std::move(space), sample, options_.distance, std::move(centres), std::move(division));
    }
    sample_ = {};
    return broadcast_model();
  }

  Status broadcast_model() {
    std::vector<uint8_t> bytes;
    if (ranks_.rank() == 0) bytes = encode(model_);
    HEADRACE_TRY(base::broadcast(ranks_, &bytes));
    HEADRACE_ASSIGN(model_, decode(bytes, options_.distance));
    return {};
  }

  Result<Tally> assign_all() {
    Tally tally(model_, done_.rows);
    assign(model_, mine_, done_.first, assignment_, tally);
    HEADRACE_TRY(
        base::all_reduce(ranks_, tally.words(), [&](std::span<uint64_t> into, std::span<const uint64_t> other) {
          Tally::combine(model_.k(), dims_, into, other);
        }));
    return tally;
  }

  Result<bool> look_for_groups(uint64_t suspects) {
    first_group_ = model_.k();
    const Lots lots(options_.seed, kSuspectStream, kSuspectRows, suspects);
    HEADRACE_ASSIGN(const Gathered gathered, bring(lots, [&](size_t i) { return assignment_.score[i] > kSuspect; }));
    uint64_t added = 0;
    if (ranks_.rank() == 0) {
      const Placed placed = place_all(model_.space, gathered.points(dims_));
      added = add_groups(placed, lots.share(), done_.rows, model_);
    }
    HEADRACE_TRY(base::all_reduce(ranks_, {&added, 1}, [](uint64_t a, uint64_t b) { return a + b; }));
    if (added > 0) HEADRACE_TRY(broadcast_model());
    return added > 0;
  }

  /// A group that turns out to have too few rows is none; its rows are outliers. True: there was one.
  bool drop_small_groups(const Tally& tally) {
    std::vector<uint32_t> kept;
    for (uint32_t c = 0; c < model_.k(); ++c)
      if (c < first_group_ || tally.regular(c) >= kLeastGroup) kept.push_back(c);
    if (kept.size() == model_.k()) return false;
    model_.keep(kept);
    return true;
  }

  Result<Clustering> finish(const Tally& tally) {
    std::vector<uint32_t> order;
    for (uint32_t c = 0; c < model_.k(); ++c)
      if (tally.size(c) > 0) order.push_back(c);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return tally.regular(a) != tally.regular(b) ? tally.regular(a) > tally.regular(b)
                                                  : tally.medoid(a) < tally.medoid(b);
    });
    for (uint32_t c : order) done_.clusters.push_back(describe(tally, c));
    HEADRACE_TRY(fetch_representatives());
    std::vector<uint32_t> place(model_.k(), kNoCluster);
    for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    for (uint32_t& each : assignment_.cluster)
      if (each != kNoCluster) each = place[each];
    done_.worst = tally.worst();
    for (Outlier& each : done_.worst) each.cluster = place[each.cluster];
    done_.unusable = tally.unusable();
    done_.outliers = tally.outliers();
    done_.assigned = std::move(assignment_.cluster);
    done_.score = std::move(assignment_.score);
    model_.keep(order);
    done_.model = std::move(model_);
    return std::move(done_);
  }

  Cluster describe(const Tally& tally, uint32_t c) const {
    Cluster cluster;
    cluster.with_outliers = tally.size(c);
    cluster.regular = tally.regular(c);
    cluster.representative = tally.medoid(c);
    for (uint32_t j = 0; j < dims_; ++j) {
      cluster.mean.push_back(tally.mean(c, j));
      cluster.variance.push_back(tally.variance(c, j));
      cluster.least.push_back(tally.least(c, j));
      cluster.most.push_back(tally.most(c, j));
    }
    return cluster;
  }

  /// Their values are where their rows are.
  Status fetch_representatives() {
    Parcel parcel(dims_);
    for (uint32_t c = 0; c < done_.clusters.size(); ++c) {
      const uint64_t row = done_.clusters[c].representative - done_.first;
      if (done_.clusters[c].representative >= done_.first && row < mine_.rows) parcel.add(c, mine_, row);
    }
    HEADRACE_ASSIGN(Gathered gathered, bring_to_first(ranks_, dims_, std::move(parcel)));
    std::vector<uint8_t> bytes(gathered.values.size() * sizeof(double));
    if (!bytes.empty()) std::memcpy(bytes.data(), gathered.values.data(), bytes.size());
    HEADRACE_TRY(base::broadcast(ranks_, &bytes));
    if (bytes.size() != done_.clusters.size() * dims_ * sizeof(double))
      return {Code::kCorrupt, "the representatives that rank 0 sent cannot be read"};
    const uint8_t* from = bytes.data();
    for (Cluster& cluster : done_.clusters) {
      cluster.representative_values.resize(dims_);
      std::memcpy(cluster.representative_values.data(), from, dims_ * sizeof(double));
      from += dims_ * sizeof(double);
    }
    return {};
  }

  base::Communicator& ranks_;
  const Points& mine_;
  const Options& options_;
  uint32_t dims_;
  uint32_t first_group_ = 0;
  Gathered sample_;
  Model model_;
  Assignment assignment_;
  Clustering done_;
};

}  // namespace

Result<Clustering> cluster(base::Communicator& ranks, const Points& mine, const Options& options) {
  return Run(ranks, mine, options).run();
}

}  // namespace headrace::cluster
