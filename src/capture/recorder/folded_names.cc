#include "capture/recorder/folded_names.h"

#include <string.h>

#include "base/hash.h"
#include "capture/recorder/properties.h"
#include "model/distinct_names.h"

namespace headrace::capture {
namespace {

using model::DistinctNames;

constexpr std::string_view kSketch = DistinctNames::kKey;
static_assert(sizeof(Property) + kSketch.size() + DistinctNames::kSlots <= kFoldedNamesBytes);

/// Null: the roll-up has none.
char* sketch_of(uint32_t rollup) {
  for (uint32_t p = at<Record>(rollup)->properties; p; p = at<Property>(p)->next) {
    auto* property = at<Property>(p);
    if (property->key_length == kSketch.size() && memcmp(property + 1, kSketch.data(), kSketch.size()) == 0)
      return value_of(property);
  }
  return nullptr;
}

}  // namespace

void begin_folded_names(uint32_t rollup) {
  Property* sketch = new_property(Layer::kPosix, kSketch, DistinctNames::kSlots);
  if (!sketch) return;
  memset(value_of(sketch), DistinctNames::kEmpty, DistinctNames::kSlots);
  link_property(at<Record>(rollup), sketch);
}

void add_folded_name(uint32_t rollup, const char* name, uint32_t length, uint32_t generation) {
  char* sketch = sketch_of(rollup);
  if (sketch) DistinctNames::add(sketch, base::mix(base::hash_bytes(name, length), generation + 1));
}

}  // namespace headrace::capture
