// Where the parts of a box are in an array that lies in a file row by row.
#pragma once
#include <algorithm>
#include <vector>

#include "base/result.h"
#include "workload/plan/operation.h"

namespace headrace::workload {

/// The offset of an element of an array of this shape.
inline uint64_t offset_in(const std::vector<uint64_t>& shape, const uint64_t* place) {
  uint64_t offset = 0;
  for (size_t i = 0; i < shape.size(); ++i) offset = offset * shape[i] + place[i];
  return offset;
}

/// Calls work(offset in the file, offset in the box, bytes) for each row of an operation's box; once for one without a
/// box. Ends with the first failure.
template <typename Work>
base::Status for_rows(const std::vector<uint64_t>& shape, const Operation& operation, const Work& work) {
  if (shape.size() < 2 || operation.box.count[0] == 0) return work(operation.offset, uint64_t{0}, operation.bytes);
  const size_t last = shape.size() - 1;
  const uint64_t row = operation.box.count[last];
  uint64_t place[kMostDimensions];
  std::copy_n(operation.box.start, kMostDimensions, place);
  for (uint64_t done = 0; done < operation.bytes; done += row) {
    HEADRACE_TRY(work(offset_in(shape, place), done, row));
    for (size_t i = last; i-- > 0;) {
      if (++place[i] < operation.box.start[i] + operation.box.count[i]) break;
      place[i] = operation.box.start[i];
    }
  }
  return {};
}

/// Where the byte of this number in a box, or in an operation without one, is in the file.
inline uint64_t offset_of(const std::vector<uint64_t>& shape, const Operation& operation, uint64_t number) {
  uint64_t found = operation.offset + number;
  (void)for_rows(shape, operation, [&](uint64_t offset, uint64_t at, uint64_t bytes) -> base::Status {
    if (number >= at && number - at < bytes) found = offset + (number - at);
    return {};
  });
  return found;
}

}  // namespace headrace::workload
