// The values (sizes, strides) that occurred most often.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headrace::model {

struct CommonValue {
  int64_t value = 0;
  uint64_t count = 0;
  bool operator==(const CommonValue&) const = default;
};

/// Values with their counts, each value once, in ascending order. Merging keeps every value, which is what makes it
/// associative and commutative; `most_common` cuts for output.
class CommonValues {
 public:
  /// False when some source had more values than it could keep: counts are estimates then.
  bool exact = true;

  void add(int64_t value, uint64_t count);
  void merge(const CommonValues& other);
  void clear();

  const std::vector<CommonValue>& values() const { return values_; }
  /// At most `limit` of them, the most frequent first, equal counts by ascending value.
  std::vector<CommonValue> most_common(size_t limit) const;

  bool operator==(const CommonValues&) const = default;

 private:
  std::vector<CommonValue> values_;
};

}  // namespace headrace::model
