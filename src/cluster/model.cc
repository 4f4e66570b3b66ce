#include "cluster/model.h"

#include <algorithm>
#include <cmath>

#include "cluster/quantile.h"
#include "cluster/wide.h"

namespace headrace::cluster {
namespace {

constexpr float kPrior = 20;       // rows that the deviations of all clusters count for in those of one
constexpr uint32_t kFewRows = 60;  // below, tails cannot be seen, and are taken for those of normal rows
constexpr float kNormalExponent = 1.37f, kNormalTail = 1.96f;
constexpr float kLeastExponent = 0.35f, kMostExponent = 2;

/// The deviations in a dimension of rows that are no suspects, in units of the scale.
struct Deviations {
  Deviations(const Placed& sample, const Division& division) : sample(sample), division(division) {
    heard.assign(sample.rows(), 1);
  }
  const Placed& sample;
  const Division& division;
  std::vector<uint8_t> heard;

  float of(const Model& model, uint32_t row, size_t dim) const {
    return std::fabs(sample.row(row)[dim] - model.centres[division.nearest[row] * sample.size + dim]);
  }
};

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

/// The limit of each cluster holds its scale until the tails are known.
void set_scales(const Deviations& from, Model& model) {
  std::vector<float> own;
  for (uint32_t j = 0; j < model.space.dims(); ++j) {
    for (uint32_t c = 0; c < model.k(); ++c) {
      own.clear();
      for (uint32_t row : from.division.members[c])
        if (from.heard[row]) own.push_back(from.of(model, row, j));
      const float rows = static_cast<float>(own.size()), all = model.scale[j];
      const float one = kDeviationOfMedian * median(std::span(own));
      model.limit[c * model.space.size() + j] = std::sqrt((rows * one * one + kPrior * all * all) / (rows + kPrior));
    }
  }
}

/// Fits the tails, and turns scales into limits.
void set_tails(const Deviations& from, Model& model) {
  const size_t size = model.space.size();
  std::vector<float> tails;
  for (uint32_t j = 0; j < model.space.dims(); ++j) {
    tails.clear();
    for (uint32_t i = 0; i < from.sample.rows(); ++i)
      if (from.heard[i]) tails.push_back(from.of(model, i, j) / model.limit[from.division.nearest[i] * size + j]);
    float exponent = kNormalExponent, tail = kNormalTail * (1 + 6 / static_cast<float>(tails.size()));
    if (tails.size() >= kFewRows) {
      const float middle = median(std::span(tails));
      tail = std::max(kNormalTail / 2, quantile(std::span(tails), 0.95));
      exponent = middle > 0 ? std::log(std::log(20.0f) / std::log(2.0f)) / std::log(tail / middle) : 1;
      exponent = tail > middle ? std::clamp(exponent, kLeastExponent, kMostExponent) : kMostExponent;
    }
    model.exponent[j] = exponent;
    const float limit = tail * std::pow(model.floor / std::log(20.0f), 1 / exponent);
    for (uint32_t c = 0; c < model.k(); ++c) model.limit[c * size + j] *= limit;
  }
}

}  // namespace

float floor_of(uint32_t dims) { return std::max(1.0f, std::log(static_cast<float>(dims))); }

float Model::score(const float* row, uint32_t cluster, uint32_t* worst) const {
  const size_t begin = cluster * space.size();
  if (worst == nullptr && has_avx2())
    return wide_score(row, &centres[begin], &limit[begin], exponent.data(), space.size(), floor);
  float sum = 0, most = 0;
  for (uint32_t j = 0; j < space.dims(); ++j) {
    const float deviation = std::fabs(row[j] - centres[begin + j]);
    if (worst == nullptr && deviation <= limit[begin + j]) continue;
    const float ratio = deviation / limit[begin + j];
    if (ratio <= 1 && (worst == nullptr || ratio <= most)) continue;
    if (ratio > 1) sum += floor * (std::pow(ratio, exponent[j]) - 1);
    if (worst != nullptr && ratio > most) *worst = j;
    most = std::max(most, ratio);
  }
  return sum;
}

float Model::reach(uint32_t cluster, uint32_t dim) const {
  return limit[cluster * space.size() + dim] * std::pow(1 + kOutlier / floor, 1 / exponent[dim]);
}

void Model::add_cluster(const float* centre) {
  const size_t size = space.size();
  centres.insert(centres.end(), centre, centre + size);
  for (uint32_t j = 0; j < space.dims(); ++j) middles.push_back(space.value_of(centre[j], j));
  for (size_t j = 0; j < size; ++j) {
    // Limits are scales times what the tails of the dimension say, so those of any cluster tell the latter.
    float widest = 0;
    for (size_t c = 0; c < limit.size() / size; ++c) widest = std::max(widest, limit[c * size + j]);
    limit.push_back(widest);
  }
}

void Model::keep(const std::vector<uint32_t>& clusters) {
  const size_t size = space.size();
  const Model old = *this;
  centres.clear();
  middles.clear();
  limit.clear();
  for (uint32_t c : clusters) {
    centres.insert(centres.end(), old.centres.begin() + static_cast<ptrdiff_t>(c * size),
                   old.centres.begin() + static_cast<ptrdiff_t>((c + 1) * size));
    limit.insert(limit.end(), old.limit.begin() + static_cast<ptrdiff_t>(c * size),
                 old.limit.begin() + static_cast<ptrdiff_t>((c + 1) * size));
    const size_t dims = space.dims();
    middles.insert(middles.end(), old.middles.begin() + static_cast<ptrdiff_t>(c * dims),
                   old.middles.begin() + static_cast<ptrdiff_t>((c + 1) * dims));
  }
}

Model make_model(Space space, const Placed& sample, Distance distance, Centres centres) {
  Model model;
  model.space = std::move(space);
  model.distance = distance;
  model.floor = floor_of(model.space.dims());
  model.centres = std::move(centres);
  const size_t size = model.space.size();
  const Division division = divide(sample, model.centres, distance);
  model.scale = common_scale(sample, model.centres, division);
  model.limit.assign(model.centres.size(), 1);
  model.exponent.assign(size, 1);
  for (uint32_t c = 0; c < model.k(); ++c)
    for (uint32_t j = 0; j < model.space.dims(); ++j)
      model.middles.push_back(model.space.value_of(model.centres[c * size + j], j));
  Deviations deviations(sample, division);
  for (int round = 0; round < 3; ++round) {
    set_scales(deviations, model);
    set_tails(deviations, model);
    for (uint32_t i = 0; i < sample.rows(); ++i)
      deviations.heard[i] = model.score(sample.row(i), division.nearest[i]) <= kSuspect;
  }
  return model;
}

}  // namespace headrace::cluster
