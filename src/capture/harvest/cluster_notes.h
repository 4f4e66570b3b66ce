// Clusters as bytes in a spool: what the library of the finalize wrote, and the harvest reads.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/clusters.h"

namespace headrace::capture {

std::vector<uint8_t> encode_clusters(const model::Clusters& clusters);
/// False: they are not what encode_clusters() makes; `clusters` then has what came before.
bool decode_clusters(std::string_view bytes, model::Clusters* clusters);

}  // namespace headrace::capture
