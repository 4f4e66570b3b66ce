#include "events/file_figures.h"

namespace headrace::events {

uint32_t FileTable::layer_of(uint32_t reference) {
  if (reference >= layers_.size()) layers_.resize(trace_.references().size(), 0);
  uint32_t& layer = layers_[reference];
  if (layer == 0) {
    layer = numbers_.try_emplace(trace_.references()[reference].layer, numbers_.size() + 1).first->second;
    if (layer > by_handle_.size()) by_handle_.resize(layer);
  }
  return layer;
}

uint32_t FileTable::row_of(uint32_t reference, uint64_t process, uint32_t handle) {
  const auto [place, added] = by_handle_[layer_of(reference) - 1].try_emplace({process, handle}, 0);
  if (!added) return place->second;
  std::string path(trace_.handle(process, handle));
  const std::string& layer = trace_.references()[reference].layer;
  const auto [row, is_new] = by_path_.try_emplace({path, layer}, static_cast<uint32_t>(rows_.size()));
  if (is_new) rows_.push_back({.path = std::move(path), .layer = layer});
  return place->second = row->second;
}

}  // namespace headrace::events
