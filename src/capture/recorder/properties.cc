#include "capture/recorder/properties.h"

#include <string.h>

#include <atomic>

namespace headrace::capture {
namespace {

constexpr uint32_t kPropertiesOfOne = 96;  // of a record
constexpr size_t kLongestKey = 300, kLongestValue = 1000;

const char* text_of(const Property* property) { return reinterpret_cast<const char*>(property + 1); }

bool holds(const char* text, uint32_t length, const char* wanted, size_t wanted_length) {
  return length == wanted_length && memcmp(text, wanted, length) == 0;
}

}  // namespace

bool note_property(uint32_t of, Layer layer, const char* key, const char* value) {
  const size_t key_length = strnlen(key, kLongestKey), value_length = strnlen(value, kLongestValue);
  SpoolLock lock;
  Record* record = at<Record>(of);
  uint32_t known = 0;
  const Property* present = nullptr;
  for (uint32_t p = record->properties; p && !present; p = at<Property>(p)->next, ++known) {
    const auto* property = at<Property>(p);
    // The front of the list is the latest.
    if (property->layer == layer && holds(text_of(property), property->key_length, key, key_length)) present = property;
  }
  if (present && holds(text_of(present) + key_length, present->value_length, value, value_length)) return false;
  const uint32_t offset =
      known >= kPropertiesOfOne ? 0 : allocate(static_cast<uint32_t>(sizeof(Property) + key_length + value_length));
  if (!offset) {
    spool.header->lost_properties++;
    return false;
  }
  auto* property = at<Property>(offset);
  property->next = record->properties;
  property->key_length = static_cast<uint16_t>(key_length);
  property->value_length = static_cast<uint16_t>(value_length);
  property->layer = layer;
  memcpy(property + 1, key, key_length);
  memcpy(reinterpret_cast<char*>(property + 1) + key_length, value, value_length);
  std::atomic_signal_fence(std::memory_order_release);
  record->properties = offset;
  return true;
}

}  // namespace headrace::capture
