#include <algorithm>
#include <cmath>

#include "cluster/model.h"
#include "cluster/quantile.h"

namespace headrace::cluster {
namespace {

constexpr float kPrior = 20;       // rows that the deviations of all clusters count for in those of one
constexpr uint32_t kFewRows = 60;  // below, tails cannot be seen, and are taken for those of normal rows
constexpr float kNormalExponent = 1.37f, kNormalTail = 1.96f;
constexpr float kLeastExponent = 0.35f, kMostExponent = 2;
constexpr float kLeastRest = 0.03f;          // of a dimension's deviations, what at least is left besides the axes
constexpr int kRounds = 3, kMoreRounds = 6;  // without axes, and with them: tails come back one after the other

class Fit {
 public:
  Fit(const Placed& sample, Division& division, Model& model)
      : sample_(sample), division_(division), model_(model), heard_(sample.rows(), 1) {}

  void run() {
    for (int round = 0; round < (model_.axes.most == 0 ? kRounds : kMoreRounds); ++round) {
      if (round > 0) find_axes();
      resolve();
      set_scales();
      set_tails();
      hear();
    }
  }

 private:
  uint32_t k() const { return model_.k(); }
  uint32_t dims() const { return model_.space.dims(); }
  uint32_t axes_of(uint32_t cluster) const { return model_.axes.most == 0 ? 0 : model_.axes.counts[cluster]; }
  float deviation(uint32_t row, size_t part) const { return std::fabs(resolved_[row * model_.parts() + part]); }
  /// Whether rows of the cluster have a place in this part.
  bool has(uint32_t cluster, size_t part) const {
    return part < dims() || (part >= sample_.size && part - sample_.size < axes_of(cluster));
  }

  void find_axes() {
    Axes axes;
    std::vector<std::vector<std::vector<float>>> found;
    std::vector<std::vector<float>> spreads(k());
    for (uint32_t c = 0; c < k(); ++c) {
      std::vector<float> deviations;
      for (uint32_t row : division_.members[c]) {
        if (!heard_[row]) continue;
        for (size_t j = 0; j < sample_.size; ++j)
          deviations.push_back(sample_.row(row)[j] - model_.centres[c * sample_.size + j]);
      }
      found.push_back(principal_axes(deviations, sample_.size, dims(), sample_.finest, spreads[c]));
      axes.most = std::max(axes.most, static_cast<uint32_t>(found[c].size()));
    }
    for (uint32_t c = 0; c < k() && axes.most != 0; ++c) {
      axes.add_cluster(sample_.size);
      axes.counts[c] = static_cast<uint32_t>(found[c].size());
      for (size_t q = 0; q < found[c].size(); ++q) {
        for (uint32_t j = 0; j < dims(); ++j) {
          axes.onto[(c * axes.most + q) * sample_.size + j] = found[c][q][j] / spreads[c][j];
          axes.back[(c * axes.most + q) * sample_.size + j] = found[c][q][j] * spreads[c][j];
        }
      }
    }
    model_.axes = std::move(axes);
  }

  void resolve() {
    const size_t parts = model_.parts();
    resolved_.assign(sample_.rows() * parts, 0);
    for (uint32_t i = 0; i < sample_.rows(); ++i) {
      const uint32_t c = division_.nearest[i];
      const float *row = sample_.row(i), *centre = &model_.centres[c * sample_.size];
      if (model_.axes.most != 0) {
        model_.axes.resolve(row, centre, c, sample_.size, &resolved_[i * parts]);
      } else {
        for (size_t j = 0; j < parts; ++j) resolved_[i * parts + j] = row[j] - centre[j];
      }
    }
  }

  /// The scale that clusters of few rows are given: what the rows of all clusters that have axes have together.
  float common(size_t part, bool resolved) const {
    if (!resolved) return model_.scale[part];
    std::vector<float> all;
    for (uint32_t i = 0; i < sample_.rows(); ++i)
      if (heard_[i] && axes_of(division_.nearest[i]) > 0 && has(division_.nearest[i], part))
        all.push_back(deviation(i, part));
    const float least = part < dims() ? kLeastRest * model_.scale[part] : sample_.finest;
    return std::max(least, kDeviationOfMedian * median(std::span(all)));
  }

  /// The limit of each cluster holds its scale until the tails are known.
  void set_scales() {
    const size_t parts = model_.parts();
    model_.limit.assign(k() * parts, 1);
    std::vector<float> own;
    for (size_t part = 0; part < parts; ++part) {
      if (part >= dims() && part < sample_.size) continue;
      const float of_resolved = model_.axes.most == 0 ? 0 : common(part, true);
      for (uint32_t c = 0; c < k(); ++c) {
        if (!has(c, part)) continue;
        own.clear();
        for (uint32_t row : division_.members[c])
          if (heard_[row]) own.push_back(deviation(row, part));
        const float rows = static_cast<float>(own.size());
        const float all = axes_of(c) > 0 ? of_resolved : common(part, false);
        const float one = kDeviationOfMedian * median(std::span(own));
        model_.limit[c * parts + part] = std::sqrt((rows * one * one + kPrior * all * all) / (rows + kPrior));
      }
    }
  }

  /// Fits the tails, and turns scales into limits.
  void set_tails() {
    const size_t parts = model_.parts();
    model_.exponent.assign(parts, 1);
    std::vector<float> tails;
    for (size_t part = 0; part < parts; ++part) {
      if (part >= dims() && part < sample_.size) continue;
      tails.clear();
      for (uint32_t i = 0; i < sample_.rows(); ++i) {
        const uint32_t c = division_.nearest[i];
        if (heard_[i] && has(c, part)) tails.push_back(deviation(i, part) / model_.limit[c * parts + part]);
      }
      float exponent = kNormalExponent, tail = kNormalTail * (1 + 6 / static_cast<float>(tails.size()));
      if (tails.size() >= kFewRows) {
        const float middle = median(std::span(tails));
        tail = std::max(kNormalTail / 2, quantile(std::span(tails), 0.95));
        exponent = middle > 0 ? std::log(std::log(20.0f) / std::log(2.0f)) / std::log(tail / middle) : 1;
        exponent = tail > middle ? std::clamp(exponent, kLeastExponent, kMostExponent) : kMostExponent;
      } else if (tails.empty()) {
        continue;
      }
      model_.exponent[part] = exponent;
      const float limit = tail * std::pow(model_.floor / std::log(20.0f), 1 / exponent);
      for (uint32_t c = 0; c < k(); ++c)
        if (has(c, part)) model_.limit[c * parts + part] *= limit;
    }
  }

  /// Suspects have no say in the next round.
  void hear() {
    bool moved = false;
    for (uint32_t i = 0; i < sample_.rows(); ++i) {
      uint32_t& cluster = division_.nearest[i];
      float score = model_.score(sample_.row(i), cluster);
      if (score > kSuspect) {
        const uint32_t better = model_.better(sample_.row(i), cluster, &score);
        moved = moved || better != cluster;
        cluster = better;
      }
      heard_[i] = score <= kSuspect;
    }
    if (!moved) return;
    for (auto& members : division_.members) members.clear();
    for (uint32_t i = 0; i < sample_.rows(); ++i) division_.members[division_.nearest[i]].push_back(i);
  }

  const Placed& sample_;
  Division& division_;
  Model& model_;
  std::vector<uint8_t> heard_;
  std::vector<float> resolved_;  // the rows of the sample, parts() each
};

}  // namespace

Model make_model(Space space, const Placed& sample, Distance distance, Centres centres, Division division) {
  Model model;
  model.space = std::move(space);
  model.distance = distance;
  model.floor = floor_of(model.space.dims());
  model.centres = std::move(centres);
  model.scale = common_scale(sample, model.centres, division);
  for (uint32_t c = 0; c < model.k(); ++c)
    for (uint32_t j = 0; j < model.space.dims(); ++j)
      model.middles.push_back(model.space.value_of(model.centres[c * model.space.size() + j], j));
  Fit(sample, division, model).run();
  return model;
}

}  // namespace headrace::cluster
