#include "cluster/tally.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cluster/wide.h"

namespace headrace::cluster {
namespace {

constexpr int kMostBits = 20;            // of a deviation in steps
constexpr uint32_t kMostPending = 4096;  // 2^12 squares of 40 bits: whole numbers still, as doubles
constexpr float kToWhole = 12582912.0f;  // 1.5 · 2^23: adding and subtracting it rounds to a whole number

/// Words in the order of the numbers they stand for.
uint64_t to_word(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  return bits >> 63 ? ~bits : bits | uint64_t{1} << 63;
}
double from_word(uint64_t word) { return std::bit_cast<double>(word >> 63 ? word & ~(uint64_t{1} << 63) : ~word); }

/// Score, cluster and dimension of an outlier, those of high scores first in order; 0 is none.
uint64_t to_word(float score, uint32_t cluster, uint32_t dim) {
  return uint64_t{std::bit_cast<uint32_t>(score)} << 32 | uint64_t{cluster & 0xff} << 24 | (dim & 0xffffff);
}

using Entry = std::array<uint64_t, 2>;  // the above, id

bool before(const Entry& a, const Entry& b) { return a[0] != b[0] ? a[0] > b[0] : a[1] < b[1]; }

void insert_worst(uint64_t* worst, Entry entry) {
  for (size_t i = 0; i < kWorst; ++i) {
    Entry here = {worst[2 * i], worst[2 * i + 1]};
    if (!before(entry, here)) continue;
    worst[2 * i] = entry[0];
    worst[2 * i + 1] = entry[1];
    if (here[0] == 0) return;
    entry = here;
  }
}

HEADRACE_INLINED inline void add_steps(const float* __restrict row, const float* __restrict centre,
                                       const float* __restrict steps, size_t size, double* __restrict sums,
                                       double* __restrict squares) {
  for (size_t j = 0; j < size; ++j) {
    const double whole = ((row[j] - centre[j]) * steps[j] + kToWhole) - kToWhole;
    sums[j] += whole;
    squares[j] += whole * whole;
  }
}

HEADRACE_INLINED inline void add_range(const double* __restrict raw, size_t dims, double* __restrict least,
                                       double* __restrict most) {
  for (size_t j = 0; j < dims; ++j) {
    least[j] = std::min(least[j], raw[j]);
    most[j] = std::max(most[j], raw[j]);
  }
}

HEADRACE_AVX2 void add_steps_wide(const float* row, const float* centre, const float* steps, size_t size, double* sums,
                                  double* squares) {
  add_steps(row, centre, steps, size, sums, squares);
}

HEADRACE_AVX2 void add_range_wide(const double* raw, size_t dims, double* least, double* most) {
  add_range(raw, dims, least, most);
}

int bits_for(uint64_t rows) { return std::min(kMostBits, (62 - static_cast<int>(std::bit_width(rows))) / 2); }

}  // namespace

Tally::Tally(const Model& model, uint64_t rows) : model_(model), k_(model.k()), dims_(model.space.dims()) {
  words_.assign(first_cluster() + k_ * cluster_words(dims_), 0);
  const size_t size = model.space.size();
  steps_.assign(k_ * size, 0);
  sums_.assign(k_ * size, 0);
  squares_.assign(k_ * size, 0);
  least_.assign(k_ * dims_, std::numeric_limits<double>::infinity());
  most_.assign(k_ * dims_, -std::numeric_limits<double>::infinity());
  pending_.assign(k_, 0);
  for (uint32_t c = 0; c < k_; ++c) {
    words_[at(c) + kNearness] = words_[at(c) + kMedoid] = ~uint64_t{0};
    for (uint32_t j = 0; j < dims_; ++j)
      steps_[c * size + j] = static_cast<float>(1 << bits_for(rows)) / model.reach(c, j);
  }
}

void Tally::add(uint64_t id, uint32_t cluster, float distance, float score, const float* row, const double* raw) {
  uint64_t* const head = &words_[at(cluster)];
  const bool outlier = score > kOutlier;
  ++head[kSize];
  words_[kSuspects] += score > kSuspect;
  const uint64_t nearness = uint64_t{outlier} << 32 | std::bit_cast<uint32_t>(distance);
  if (nearness < head[kNearness] || (nearness == head[kNearness] && id < head[kMedoid])) {
    head[kNearness] = nearness;
    head[kMedoid] = id;
  }
  if (!outlier) return add_regular(cluster, row, raw);
  ++words_[kOutliers];
  if (to_word(score, 0, 0) < words_[kHead + 2 * (kWorst - 1)] >> 32 << 32) return;
  uint32_t dim = 0;
  model_.score(row, cluster, &dim);
  insert_worst(&words_[kHead], {to_word(score, cluster, dim), id});
}

void Tally::add_regular(uint32_t cluster, const float* row, const double* raw) {
  const size_t size = model_.space.size();
  ++words_[at(cluster) + kRegular];
  const float *centre = &model_.centres[cluster * size], *steps = &steps_[cluster * size];
  double *sums = &sums_[cluster * size], *squares = &squares_[cluster * size];
  double *least = &least_[cluster * dims_], *most = &most_[cluster * dims_];
  if (has_avx2()) {
    add_steps_wide(row, centre, steps, size, sums, squares);
    add_range_wide(raw, dims_, least, most);
  } else {
    add_steps(row, centre, steps, size, sums, squares);
    add_range(raw, dims_, least, most);
  }
  if (++pending_[cluster] == kMostPending) flush(cluster);
}

void Tally::flush(uint32_t cluster) {
  pending_[cluster] = 0;
  for (uint32_t j = 0; j < dims_; ++j) {
    double &sum = sums_[cluster * model_.space.size() + j], &squares = squares_[cluster * model_.space.size() + j];
    words_[at(cluster, j, kSum)] += static_cast<uint64_t>(static_cast<int64_t>(sum));
    words_[at(cluster, j, kSquares)] += static_cast<uint64_t>(static_cast<int64_t>(squares));
    sum = squares = 0;
  }
}

void Tally::finish() {
  for (uint32_t c = 0; c < k_; ++c) {
    flush(c);
    for (uint32_t j = 0; j < dims_; ++j) {
      words_[at(c, j, kLeast)] = to_word(least_[c * dims_ + j]);
      words_[at(c, j, kMost)] = to_word(most_[c * dims_ + j]);
    }
  }
}

void Tally::combine(uint32_t k, uint32_t dims, std::span<uint64_t> into, std::span<const uint64_t> other) {
  for (size_t i = 0; i < kHead; ++i) into[i] += other[i];
  for (size_t i = 0; i < kWorst && other[kHead + 2 * i] != 0; ++i)
    insert_worst(&into[kHead], {other[kHead + 2 * i], other[kHead + 2 * i + 1]});
  for (uint32_t c = 0; c < k; ++c) {
    uint64_t* a = &into[first_cluster() + c * cluster_words(dims)];
    const uint64_t* b = &other[first_cluster() + c * cluster_words(dims)];
    a[kSize] += b[kSize];
    a[kRegular] += b[kRegular];
    if (b[kNearness] < a[kNearness] || (b[kNearness] == a[kNearness] && b[kMedoid] < a[kMedoid])) {
      a[kNearness] = b[kNearness];
      a[kMedoid] = b[kMedoid];
    }
    a += kClusterHead;
    b += kClusterHead;
    for (size_t j = 0; j < 2 * size_t{dims}; ++j) a[j] += b[j];  // two's complement: negative sums as well
    for (size_t j = kLeast * size_t{dims}; j < kMost * size_t{dims}; ++j) a[j] = std::min(a[j], b[j]);
    for (size_t j = kMost * size_t{dims}; j < kDimWords * size_t{dims}; ++j) a[j] = std::max(a[j], b[j]);
  }
}

double Tally::mean(uint32_t cluster, uint32_t dim) const {
  const double rows = static_cast<double>(regular(cluster));
  if (rows == 0) return std::numeric_limits<double>::quiet_NaN();
  const double steps = static_cast<double>(static_cast<int64_t>(words_[at(cluster, dim, kSum)]));
  const double coordinate = steps / rows / steps_[cluster * model_.space.size() + dim];
  const double value = model_.middles[cluster * dims_ + dim] + coordinate / model_.space.weight[dim];
  return std::clamp(value, least(cluster, dim), most(cluster, dim));  // exact where all values are the same
}

double Tally::variance(uint32_t cluster, uint32_t dim) const {
  const double rows = static_cast<double>(regular(cluster));
  if (rows == 0) return std::numeric_limits<double>::quiet_NaN();
  const double mean = static_cast<double>(static_cast<int64_t>(words_[at(cluster, dim, kSum)])) / rows;
  const double square = static_cast<double>(words_[at(cluster, dim, kSquares)]) / rows - mean * mean;
  const double unit = 1 / (steps_[cluster * model_.space.size() + dim] * model_.space.weight[dim]);
  return least(cluster, dim) == most(cluster, dim) ? 0 : std::max(0.0, square) * unit * unit;
}

double Tally::least(uint32_t cluster, uint32_t dim) const {
  return regular(cluster) == 0 ? std::numeric_limits<double>::quiet_NaN() : from_word(words_[at(cluster, dim, kLeast)]);
}

double Tally::most(uint32_t cluster, uint32_t dim) const {
  return regular(cluster) == 0 ? std::numeric_limits<double>::quiet_NaN() : from_word(words_[at(cluster, dim, kMost)]);
}

std::vector<Outlier> Tally::worst() const {
  std::vector<Outlier> all;
  for (size_t i = 0; i < kWorst && words_[kHead + 2 * i] != 0; ++i) {
    const uint64_t word = words_[kHead + 2 * i];
    all.push_back({words_[kHead + 2 * i + 1], static_cast<uint32_t>(word >> 24 & 0xff),
                   static_cast<uint32_t>(word & 0xffffff), std::bit_cast<float>(static_cast<uint32_t>(word >> 32))});
  }
  return all;
}

}  // namespace headrace::cluster
