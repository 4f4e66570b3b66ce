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
  nearest_of_each(distance, sample.values.data(), sample.rows(), centres.data(), k, sample.size,
                  division.nearest.data(), division.distance.data());
  for (uint32_t i = 0; i < sample.rows(); ++i) division.members[division.nearest[i]].push_back(i);
  return division;
}

void middle_of(const Placed& sample, const std::vector<uint32_t>& rows, float* out) {
  const size_t count = rows.size();
  std::vector<float> columns(kLanes * count);
  for (size_t first = 0; first < sample.size; first += kLanes) {
    for (size_t i = 0; i < count; ++i) {
      const float* row = sample.row(rows[i]) + first;
      for (size_t j = 0; j < kLanes; ++j) columns[j * count + i] = row[j];
    }
    for (size_t j = 0; j < kLanes; ++j) out[first + j] = median(std::span(columns).subspan(j * count, count));
  }
}

std::vector<float> common_scale(const Placed& sample, const Centres& centres, const Division& division) {
  std::vector<float> scale(sample.size), columns(kLanes * sample.rows());
  const size_t rows = sample.rows(), k = division.members.size();
  // Centres that were fitted to few rows are too near to them.
  const float freedom = rows > k ? std::sqrt(static_cast<float>(rows) / static_cast<float>(rows - k)) : 2.0f;
  for (size_t first = 0; first < sample.size; first += kLanes) {
    for (size_t i = 0; i < rows; ++i) {
      const float *row = sample.row(i) + first, *centre = &centres[division.nearest[i] * sample.size + first];
      for (size_t j = 0; j < kLanes; ++j) columns[j * rows + i] = std::fabs(row[j] - centre[j]);
    }
    for (size_t j = 0; j < kLanes; ++j) {
      const float middle = median(std::span(columns).subspan(j * rows, rows));
      scale[first + j] = std::max(sample.finest, kDeviationOfMedian * freedom * middle);
    }
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
