// What is inside a file that describes itself: groups, datasets and further names of them. A plan makes and opens them
// one by one; where files are rows of bytes that is nothing to do.
#pragma once
#include <cstdint>
#include <string>

namespace headrace::workload {

struct PlannedObject {
  std::string group = {};          // that it is in; "" = the root
  std::string name = {};           // there
  std::string target = {};         // of a link: the object of the same group that it is another name of
  uint64_t offset = 0, bytes = 0;  // of a dataset: where it lies in the row of bytes
  uint64_t chunk = 0;              // of a dataset, in bytes; 0 = contiguous
};

}  // namespace headrace::workload
