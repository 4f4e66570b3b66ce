#include "cluster/model.h"

#include <algorithm>
#include <cmath>

#include "cluster/wide.h"

namespace headrace::cluster {
namespace {

// Where resolved rows have their centre.
constexpr float kNowhere[kMostResolved + kMostAxes] = {};

#if defined(__x86_64__) && defined(__GNUC__)
/// As Model::score, looking at eight dimensions at once: in nearly all of them nothing is beyond its limit.
HEADRACE_AVX2 float wide_score(const float* row, const float* centre, const float* limit, const float* exponent,
                               size_t size, float floor) {
  using Eight = float __attribute__((vector_size(32)));
  using EightInts = int __attribute__((vector_size(32)));
  float sum = 0;
  for (size_t j = 0; j < size; j += kLanes) {
    Eight one, other, most;
    std::memcpy(&one, row + j, sizeof one);
    std::memcpy(&other, centre + j, sizeof other);
    std::memcpy(&most, limit + j, sizeof most);
    const Eight away = reinterpret_cast<Eight>(reinterpret_cast<EightInts>(one - other) & 0x7fffffff);
    int beyond = __builtin_ia32_movmskps256(reinterpret_cast<Eight>(away > most));
    for (; beyond != 0; beyond &= beyond - 1) {
      const size_t dim = j + static_cast<size_t>(__builtin_ctz(static_cast<unsigned>(beyond)));
      const float ratio = std::fabs(row[dim] - centre[dim]) / limit[dim];
      sum += floor * (std::pow(ratio, exponent[dim]) - 1);
    }
  }
  return sum;
}
#else
float wide_score(const float*, const float*, const float*, const float*, size_t, float) { return 0; }
#endif

/// What some of equally long parts are.
template <typename T>
std::vector<T> chosen(const std::vector<T>& parts, const std::vector<uint32_t>& which, size_t length) {
  std::vector<T> some;
  for (uint32_t each : which) {
    const auto begin = parts.begin() + static_cast<ptrdiff_t>(each * length);
    some.insert(some.end(), begin, begin + static_cast<ptrdiff_t>(length));
  }
  return some;
}

}  // namespace

float floor_of(uint32_t dims) { return std::max(1.0f, std::log(static_cast<float>(dims))); }

float Model::score(const float* row, uint32_t cluster, uint32_t* worst) const {
  const float *centre = &centres[cluster * space.size()], *limits = &limit[cluster * parts()];
  float resolved[kMostResolved + kMostAxes];
  if (axes.most != 0) {
    axes.resolve(row, centre, cluster, space.size(), resolved);
    row = resolved;
    centre = kNowhere;
  }
  if (worst == nullptr && has_avx2()) return wide_score(row, centre, limits, exponent.data(), parts(), floor);
  float sum = 0, most = 0;
  for (uint32_t j = 0; j < parts(); ++j) {
    const float deviation = std::fabs(row[j] - centre[j]);
    if (worst == nullptr && deviation <= limits[j]) continue;
    const float ratio = deviation / limits[j];
    if (ratio <= 1 && (worst == nullptr || ratio <= most)) continue;
    if (ratio > 1) sum += floor * (std::pow(ratio, exponent[j]) - 1);
    if (worst != nullptr && ratio > most) *worst = j < space.size() ? j : widest_along(cluster, j - space.size());
    most = std::max(most, ratio);
  }
  return sum;
}

uint32_t Model::widest_along(uint32_t cluster, size_t axis) const {
  const float* const onto = axes.onto_of(cluster, static_cast<uint32_t>(axis), space.size());
  const float* const back = axes.back_of(cluster, static_cast<uint32_t>(axis), space.size());
  uint32_t widest = 0;
  for (uint32_t j = 1; j < space.dims(); ++j)
    if (onto[j] * back[j] > onto[widest] * back[widest]) widest = j;
  return widest;
}

uint32_t Model::better(const float* row, uint32_t nearest, float* score) const {
  uint32_t best = nearest;
  for (uint32_t c = 0; c < k(); ++c) {
    const float each = c == nearest ? *score : this->score(row, c);
    if (each > kSuspect || each >= *score) continue;
    best = c;
    *score = each;
  }
  return best;
}

float Model::reach(uint32_t cluster, uint32_t dim) const {
  const auto furthest = [&](size_t part) {
    return limit[cluster * parts() + part] * std::pow(1 + kOutlier / floor, 1 / exponent[part]);
  };
  float sum = furthest(dim);
  for (uint32_t axis = 0; axes.most != 0 && axis < axes.counts[cluster]; ++axis)
    sum += std::fabs(axes.back_of(cluster, axis, space.size())[dim]) * furthest(space.size() + axis);
  return sum;
}

float Model::limit_of_all(uint32_t cluster, uint32_t dim) const {
  float squares = limit[cluster * parts() + dim] * limit[cluster * parts() + dim];
  if (axes.most == 0 || axes.counts[cluster] == 0) return limit[cluster * parts() + dim];
  for (uint32_t axis = 0; axis < axes.counts[cluster]; ++axis) {
    const float each = axes.back_of(cluster, axis, space.size())[dim] * limit[cluster * parts() + space.size() + axis];
    squares += each * each;
  }
  return std::sqrt(squares);
}

void Model::add_cluster(const float* centre) {
  const size_t size = space.size();
  const uint32_t clusters = k();
  centres.insert(centres.end(), centre, centre + size);
  for (uint32_t j = 0; j < space.dims(); ++j) middles.push_back(space.value_of(centre[j], j));
  std::vector<float> limits(parts(), 1);
  for (uint32_t j = 0; j < space.dims(); ++j) {
    // Limits are scales times what the tails of the dimension say, so those of any cluster tell the latter.
    limits[j] = 0;
    for (uint32_t c = 0; c < clusters; ++c) limits[j] = std::max(limits[j], limit_of_all(c, j));
  }
  limit.insert(limit.end(), limits.begin(), limits.end());
  if (axes.most != 0) axes.add_cluster(size);
}

void Model::keep(const std::vector<uint32_t>& clusters) {
  const Model old = *this;
  centres = chosen(old.centres, clusters, space.size());
  middles = chosen(old.middles, clusters, space.dims());
  limit = chosen(old.limit, clusters, parts());
  if (axes.most == 0) return;
  axes.counts = chosen(old.axes.counts, clusters, 1);
  axes.onto = chosen(old.axes.onto, clusters, axes.most * space.size());
  axes.back = chosen(old.axes.back, clusters, axes.most * space.size());
}

}  // namespace headrace::cluster
