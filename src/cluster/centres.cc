#include "cluster/centres.h"

#include <cmath>

#include "cluster/quantile.h"

namespace headrace::cluster {
namespace {

constexpr int kMostMoves = 4;
constexpr double kHeard = 0.9;  // of a cluster's rows, when its centre moves

/// The members of a cluster without those furthest from it.
std::vector<uint32_t> without_far_ones(const Division& division, size_t cluster) {
  const auto& members = division.members[cluster];
  if (members.size() < 10) return members;
  std::vector<float> distances;
  for (uint32_t row : members) distances.push_back(division.distance[row]);
  const float limit = quantile(std::span(distances), kHeard);
  std::vector<uint32_t> near;
  for (uint32_t row : members)
    if (division.distance[row] <= limit) near.push_back(row);
  return near;
}

}  // namespace

Division divide(const Placed& sample, const Centres& centres, Distance distance) {
  const auto k = static_cast<uint32_t>(centres.size() / sample.size);
  Division division;
  division.nearest.resize(sample.rows());
  division.distance.resize(sample.rows());
  division.members.resize(k);
  for (uint32_t i = 0; i < sample.rows(); ++i) {
    const uint32_t best = nearest(distance, sample.row(i), centres.data(), k, sample.size, &division.distance[i]);
    division.nearest[i] = best;
    division.members[best].push_back(i);
  }
  return division;
}

void middle_of(const Placed& sample, const std::vector<uint32_t>& rows, float* out) {
  std::vector<float> column(rows.size());
  for (size_t j = 0; j < sample.size; ++j) {
    for (size_t i = 0; i < rows.size(); ++i) column[i] = sample.row(rows[i])[j];
    out[j] = median(std::span(column));
  }
}

std::vector<float> common_scale(const Placed& sample, const Centres& centres, const Division& division) {
  std::vector<float> scale(sample.size), column(sample.rows());
  const size_t rows = sample.rows(), k = division.members.size();
  // Centres that were fitted to few rows are too near to them.
  const float freedom = rows > k ? std::sqrt(static_cast<float>(rows) / static_cast<float>(rows - k)) : 2.0f;
  for (size_t j = 0; j < sample.size; ++j) {
    for (uint32_t i = 0; i < rows; ++i)
      column[i] = std::fabs(sample.row(i)[j] - centres[division.nearest[i] * sample.size + j]);
    scale[j] = std::max(sample.finest, kDeviationOfMedian * freedom * median(std::span(column)));
  }
  return scale;
}

void settle(const Placed& sample, Distance distance, Centres& centres) {
  for (int move = 0; move < kMostMoves; ++move) {
    const Centres before = centres;
    const Division division = divide(sample, centres, distance);
    for (size_t c = 0; c < division.members.size(); ++c) {
      if (!division.members[c].empty()) middle_of(sample, without_far_ones(division, c), &centres[c * sample.size]);
    }
    if (centres == before) return;
  }
}

}  // namespace headrace::cluster
