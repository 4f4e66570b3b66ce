#include "cluster/groups.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cluster/quantile.h"

namespace headrace::cluster {
namespace {

constexpr uint32_t kMostGroups = 64;
constexpr uint32_t kLeastSeen = 5;      // of a group's rows, in the sample
constexpr double kSuspicious = 0.0026;  // the share of regular rows that are suspects (kSuspect)
constexpr float kFarFromAll = 20;       // the score of a group's centre above which no tail reaches
constexpr float kSeenSteps = 2;      // deviations of a group towards the nearest cluster, where suspects are seen still
constexpr double kLeastStep = 1e-3;  // of the way
constexpr float kMeanBetween = 1.13f;  // standard deviations between two normal rows in a dimension

/// Suspects in units of the deviations of clusters, and who is near whom. Distances are Manhattan's here, as the scales
/// are by dimension.
class Crowd {
 public:
  Crowd(const Placed& suspects, const Model& model) : dims_(model.space.dims()) {
    scaled_ = suspects;
    for (uint32_t i = 0; i < suspects.rows(); ++i)
      for (uint32_t j = 0; j < dims_; ++j) scaled_.values[i * scaled_.size + j] /= model.scale[j];
    left_.assign(suspects.rows(), 1);
  }

  /// About half of the rows of a group are so near to one of them. In many dimensions noise is far away, so that groups
  /// with longer tails than normal ones have may be included.
  float near() const {
    const auto d = static_cast<float>(dims_);
    return kMeanBetween * d * (1 + 0.35f * std::max(0.0f, 1 - 4 / d));
  }
  /// All but a few rows of a group are so near to its centre.
  float around() const { return static_cast<float>(dims_) + 1.5f * std::sqrt(static_cast<float>(dims_)); }

  /// Of each suspect, how many are near to it.
  std::vector<uint32_t> crowds() const {
    std::vector<uint32_t> counts(scaled_.rows());
    for (uint32_t a = 0; a < scaled_.rows(); ++a) {
      for (uint32_t b = 0; b < a; ++b) {
        if (!within(scaled_.row(a), scaled_.row(b), near())) continue;
        ++counts[a];
        ++counts[b];
      }
    }
    return counts;
  }

  std::vector<uint32_t> within_of(const float* point, float radius) const {
    std::vector<uint32_t> rows;
    for (uint32_t i = 0; i < scaled_.rows(); ++i)
      if (left_[i] && within(scaled_.row(i), point, radius)) rows.push_back(i);
    return rows;
  }

  std::vector<uint32_t> all_left() const {
    std::vector<uint32_t> rows;
    for (uint32_t i = 0; i < scaled_.rows(); ++i)
      if (left_[i]) rows.push_back(i);
    return rows;
  }

  const float* row(uint32_t i) const { return scaled_.row(i); }
  bool left(uint32_t i) const { return left_[i]; }
  void take(const std::vector<uint32_t>& rows) {
    for (uint32_t row : rows) left_[row] = 0;
  }
  std::vector<float> middle(const std::vector<uint32_t>& rows) const {
    std::vector<float> point(scaled_.size);
    middle_of(scaled_, rows, point.data());
    return point;
  }
  uint32_t dims() const { return dims_; }

 private:
  /// Most pairs are told apart by a few dimensions.
  bool within(const float* a, const float* b, float radius) const {
    float sum = 0;
    for (size_t i = 0; i < scaled_.size && sum <= radius; i += kLanes) sum += manhattan(a + i, b + i, kLanes);
    return sum <= radius;
  }

  uint32_t dims_;
  Placed scaled_;
  std::vector<uint8_t> left_;
};

/// The rows of the group around a suspect; none if they are no more than noise.
std::vector<uint32_t> group_around(const Crowd& crowd, uint32_t suspect, uint32_t needed) {
  auto rows = crowd.within_of(crowd.row(suspect), crowd.near());
  std::vector<float> middle;
  for (int i = 0; i < 3 && rows.size() * 2 >= needed; ++i) {
    middle = crowd.middle(rows);
    rows = crowd.within_of(middle.data(), crowd.around());
  }
  if (rows.size() < needed) return {};
  // What is within twice the radius and not within it is noise, or else this is no group.
  const auto wide = static_cast<double>(crowd.within_of(middle.data(), 2 * crowd.around()).size() - rows.size());
  const double noise = wide / (std::pow(2.0, std::min(crowd.dims(), 60u)) - 1);
  if (static_cast<double>(rows.size()) < needed + noise + 5 * std::sqrt(noise)) return {};
  return rows;
}

/// Whether fewer suspects are on the way from a group to the nearest cluster than in the group: a long tail is nowhere
/// denser than where it begins. Where the way is inside of the cluster at once, nobody can see that.
bool stands_apart(const Crowd& crowd, const Model& model, const std::vector<uint32_t>& group, const float* centre) {
  const uint32_t best = nearest(model.distance, centre, model.centres.data(), model.k(), model.space.size());
  const uint32_t dims = model.space.dims();
  std::vector<float> middle = crowd.middle(group), way(dims);
  double length = 0;
  for (uint32_t j = 0; j < dims; ++j) {
    way[j] = model.centres[best * model.space.size() + j] / model.scale[j] - middle[j];
    length += double{way[j]} * way[j];
  }
  for (float& each : way) each /= static_cast<float>(std::sqrt(std::max(length, 1e-30)));
  // How far along the way, and how far beside it.
  const auto place = [&](uint32_t row) {
    float along = 0, squares = 0;
    for (uint32_t j = 0; j < dims; ++j) {
      const float apart = crowd.row(row)[j] - middle[j];
      along += apart * way[j];
      squares += apart * apart;
    }
    return std::pair{along, std::sqrt(std::max(0.0f, squares - along * along))};
  };
  std::vector<float> lengths, widths;
  for (uint32_t row : group) {
    const auto [along, beside] = place(row);
    lengths.push_back(std::fabs(along));
    widths.push_back(beside);
  }
  const auto least = static_cast<float>(kLeastStep * std::sqrt(length));  // rows of a group may be all the same
  const float step = std::max(least, kDeviationOfMedian * median(std::span(lengths)));
  const float width = std::max(least, quantile(std::span(widths), 0.9));
  std::vector<float> seen(model.space.size());
  for (uint32_t j = 0; j < dims; ++j) seen[j] = (middle[j] + kSeenSteps * step * way[j]) * model.scale[j];
  if (model.score(seen.data(), best) <= kSuspect) return false;
  uint32_t here = 0, between = 0;
  for (uint32_t row : crowd.all_left()) {
    const auto [along, beside] = place(row);
    if (beside > width) continue;
    here += std::fabs(along) <= step;
    between += std::fabs(along - 3 * step) <= step;
  }
  return 2 * between <= here;
}

/// How many rows a group with this centre must have, in the table. The suspects of a cluster are a crowd around its
/// centre themselves, in many dimensions; and near a cluster its tail may look like a group.
double needed_rows(const Model& model, const float* centre, uint64_t rows) {
  const uint32_t best = nearest(model.distance, centre, model.centres.data(), model.k(), model.space.size());
  const float outside = model.score(centre, best);
  if (outside <= kSuspect) return std::numeric_limits<double>::infinity();
  if (outside >= kFarFromAll) return kLeastGroup;
  return kLeastGroup + kSuspicious * static_cast<double>(rows) / model.space.dims();
}

}  // namespace

uint32_t add_groups(const Placed& suspects, double share, uint64_t rows, Model& model) {
  const auto seen = [&](double needed) { return std::max<double>(kLeastSeen, needed * share); };
  const auto least = static_cast<uint32_t>(seen(kLeastGroup));
  if (suspects.rows() < least) return 0;
  Crowd crowd(suspects, model);
  const auto crowds = crowd.crowds();
  std::vector<uint32_t> order(suspects.rows());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return crowds[a] > crowds[b]; });
  uint32_t added = 0;
  std::vector<uint8_t> tried(suspects.rows());  // rows of one crowd lead to the same group, or to none
  for (uint32_t suspect : order) {
    if (added == kMostGroups || crowds[suspect] < std::max(2u, least / 4)) break;
    if (!crowd.left(suspect) || tried[suspect]) continue;
    for (uint32_t row : crowd.within_of(crowd.row(suspect), crowd.near())) tried[row] = 1;
    const auto group = group_around(crowd, suspect, least);
    if (group.empty()) continue;
    std::vector<float> centre(suspects.size);
    middle_of(suspects, group, centre.data());
    const bool apart = stands_apart(crowd, model, group, centre.data());
    crowd.take(group);
    if (!apart || static_cast<double>(group.size()) < seen(needed_rows(model, centre.data(), rows))) continue;
    model.add_cluster(centre.data());
    ++added;
  }
  return added;
}

}  // namespace headrace::cluster
