// Random file records for the tests of reduction.
#pragma once
#include <random>
#include <string>

#include "model/file_record.h"

namespace headrace::capture {

inline model::FileRecord random_record(std::mt19937_64& random, const std::string& path) {
  model::FileRecord record;
  record.path = record.final_path = path;
  if (random() % 4 == 0) record.file = random() % 3 + 1;
  if (random() % 8 == 0) record.final_path += ".renamed";
  record.layer = static_cast<model::Layer>(random() % model::kLayers);
  for (uint64_t& counter : record.counters) {
    if (random() % 3 == 0) counter = random() >> (random() % 40 + 20);
  }
  for (uint32_t d = 0; d < model::kDirections; ++d) {
    record.sizes[d].add(random() % 100000, random() % 9);
    record.common_sizes[d].add(static_cast<int64_t>(random() % 5), random() % 4 + 1);
    record.common_strides[d].add(-static_cast<int64_t>(random() % 5), random() % 4 + 1);
    record.common_strides[d].exact = random() % 2 == 0;
  }
  if (random() % 4 == 0) record.properties.push_back({"hint_asked.cb_nodes", std::to_string(random() % 3)});
  if (random() % 4 == 0) record.call_sites.push_back({"slowest_read", random(), random() % 99, random() % 99, 7});
  return record;
}

}  // namespace headrace::capture
