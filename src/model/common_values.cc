#include "model/common_values.h"

#include <algorithm>

namespace headrace::model {

void CommonValues::add(int64_t value, uint64_t count) {
  if (count == 0) return;
  auto place = std::lower_bound(values_.begin(), values_.end(), value,
                                [](const CommonValue& have, int64_t wanted) { return have.value < wanted; });
  if (place != values_.end() && place->value == value) {
    place->count += count;
  } else {
    values_.insert(place, {value, count});
  }
}

void CommonValues::merge(const CommonValues& other) {
  exact = exact && other.exact;
  for (const CommonValue& each : other.values_) add(each.value, each.count);
}

void CommonValues::clear() {
  values_.clear();
  exact = true;
}

std::vector<CommonValue> CommonValues::most_common(size_t limit) const {
  std::vector<CommonValue> sorted = values_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const CommonValue& a, const CommonValue& b) { return a.count > b.count; });
  if (sorted.size() > limit) sorted.resize(limit);
  return sorted;
}

}  // namespace headrace::model
