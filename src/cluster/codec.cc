#include <algorithm>
#include <cstring>

#include "cluster/model.h"

namespace headrace::cluster {
namespace {

using base::ByteReader;
using base::Code;
using base::Status;

template <typename T>
void put(base::ByteWriter& to, const std::vector<T>& values) {
  to.u64(values.size());
  if (!values.empty()) std::memcpy(to.extend(values.size() * sizeof(T)), values.data(), values.size() * sizeof(T));
}

template <typename T>
bool get(ByteReader& from, std::vector<T>* values) {
  const uint64_t count = from.u64();
  if (count > from.left() / sizeof(T)) return false;
  const base::Bytes bytes = from.take(count * sizeof(T));
  values->resize(count);
  if (count > 0) std::memcpy(values->data(), bytes.data(), bytes.size());
  return from.ok();
}

bool get_axes(ByteReader& from, Axes* axes) {
  const uint64_t most = from.u64();
  axes->most = static_cast<uint32_t>(std::min<uint64_t>(most, kMostAxes));
  return most <= kMostAxes && get(from, &axes->counts) && get(from, &axes->onto) && get(from, &axes->back);
}

bool fits(const Axes& axes, size_t k, size_t size) {
  const size_t values = k * axes.most * size;
  if (axes.most != 0 && size > kMostResolved) return false;
  return axes.counts.size() == (axes.most == 0 ? 0 : k) && axes.onto.size() == values && axes.back.size() == values &&
         std::all_of(axes.counts.begin(), axes.counts.end(), [&](uint32_t each) { return each <= axes.most; });
}

}  // namespace

std::vector<uint8_t> encode(const Model& model) {
  std::vector<uint8_t> bytes;
  base::ByteWriter to(bytes);
  put(to, model.space.middle);
  put(to, model.space.weight);
  put(to, model.centres);
  put(to, model.middles);
  put(to, model.limit);
  put(to, model.exponent);
  put(to, model.scale);
  to.u64(model.axes.most);
  put(to, model.axes.counts);
  put(to, model.axes.onto);
  put(to, model.axes.back);
  return bytes;
}

base::Result<Model> decode(base::Bytes bytes, Distance distance) {
  ByteReader from(bytes);
  Model model;
  model.distance = distance;
  const bool all = get(from, &model.space.middle) && get(from, &model.space.weight) && get(from, &model.centres) &&
                   get(from, &model.middles) && get(from, &model.limit) && get(from, &model.exponent) &&
                   get(from, &model.scale) && get_axes(from, &model.axes);
  const size_t dims = model.space.dims(), size = model.space.size(), k = model.k();
  const bool fit = model.space.weight.size() == dims && model.centres.size() == k * size &&
                   model.limit.size() == k * model.parts() && model.middles.size() == k * dims &&
                   model.exponent.size() == model.parts() && model.scale.size() == size && fits(model.axes, k, size);
  model.floor = floor_of(model.space.dims());
  if (!all || !fit) return Status(Code::kCorrupt, "the clusters that rank 0 sent cannot be read");
  return model;
}

}  // namespace headrace::cluster
