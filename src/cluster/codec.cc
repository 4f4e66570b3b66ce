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
  return bytes;
}

base::Result<Model> decode(base::Bytes bytes, Distance distance) {
  ByteReader from(bytes);
  Model model;
  model.distance = distance;
  const bool all = get(from, &model.space.middle) && get(from, &model.space.weight) && get(from, &model.centres) &&
                   get(from, &model.middles) && get(from, &model.limit) && get(from, &model.exponent) &&
                   get(from, &model.scale);
  const size_t dims = model.space.dims(), size = model.space.size(), k = model.k();
  const bool fit = model.space.weight.size() == dims && model.centres.size() == k * size &&
                   model.limit.size() == k * size && model.middles.size() == k * dims &&
                   model.exponent.size() == size && model.scale.size() == size;
  model.floor = floor_of(model.space.dims());
  if (!all || !fit) return Status(Code::kCorrupt, "the clusters that rank 0 sent cannot be read");
  return model;
}

}  // namespace headrace::cluster
