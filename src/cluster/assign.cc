#include "cluster/assign.h"

namespace headrace::cluster {
namespace {

/// Whether no dimension is beyond its limit: the score is 0 then. Nearly all rows need no more than this.
bool within_limits(const float* __restrict row, const float* __restrict centre, const float* __restrict limit,
                   size_t size) {
  int beyond = 0;
  for (size_t j = 0; j < size; ++j) beyond |= std::fabs(row[j] - centre[j]) > limit[j] ? 1 : 0;
  return beyond == 0;
}

}  // namespace

void assign(const Model& model, const Points& rows, uint64_t first, Assignment& assignment, Tally& tally) {
  const size_t size = model.space.size();
  std::vector<float> row(size);
  std::vector<double> raw(model.space.dims());
  assignment.cluster.assign(rows.rows, ~uint32_t{0});
  assignment.score.assign(rows.rows, 0);
  for (size_t i = 0; i < rows.rows; ++i) {
    if (!model.space.place(rows, i, row.data(), raw.data())) {
      tally.add_unusable();
      continue;
    }
    float distance = 0;
    const uint32_t cluster = nearest(model.distance, row.data(), model.centres.data(), model.k(), size, &distance);
    const bool inside = within_limits(row.data(), &model.centres[cluster * size], &model.limit[cluster * size], size);
    const float score = inside ? 0 : model.score(row.data(), cluster);
    assignment.cluster[i] = cluster;
    assignment.score[i] = score;
    tally.add(first + i, cluster, distance, score, row.data(), raw.data());
  }
  tally.finish();
}

}  // namespace headrace::cluster
