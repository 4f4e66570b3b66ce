#include "cluster/assign.h"

#include <algorithm>

namespace headrace::cluster {
namespace {

// Rows that are looked at together stay in the nearest cache.
constexpr size_t kBlockFloats = 2048, kMostBlock = 64;

}  // namespace

void assign(const Model& model, const Points& rows, uint64_t first, Assignment& assignment, Tally& tally) {
  const size_t size = model.space.size(), dims = model.space.dims();
  const size_t block = std::clamp<size_t>(kBlockFloats / std::max<size_t>(1, size), 1, kMostBlock);
  std::vector<float> placed(block * size), distance(block);
  std::vector<double> raw(block * dims);
  std::vector<uint8_t> usable(block);
  assignment.cluster.resize(rows.rows);
  assignment.score.resize(rows.rows);
  for (size_t begin = 0; begin < rows.rows; begin += block) {
    const size_t count = std::min(block, rows.rows - begin);
    uint32_t* const nearest = &assignment.cluster[begin];
    for (size_t i = 0; i < count; ++i)
      usable[i] = model.space.place(rows, begin + i, &placed[i * size], &raw[i * dims]);
    nearest_of_each(model.distance, placed.data(), count, model.centres.data(), model.k(), size, nearest,
                    distance.data());
    for (size_t i = 0; i < count; ++i) {
      assignment.score[begin + i] = 0;
      if (!usable[i]) {
        nearest[i] = ~uint32_t{0};
        tally.add_unusable();
        continue;
      }
      const float* const row = &placed[i * size];
      float score = model.score(row, nearest[i]);
      if (score > kSuspect) {
        const uint32_t better = model.better(row, nearest[i], &score);
        if (better != nearest[i]) distance[i] = between(model.distance, row, &model.centres[better * size], size);
        nearest[i] = better;
      }
      const uint32_t cluster = nearest[i];
      assignment.score[begin + i] = score;
      tally.add(first + begin + i, cluster, distance[i], score, row, &raw[i * dims]);
    }
  }
  tally.finish();
}

}  // namespace headrace::cluster
