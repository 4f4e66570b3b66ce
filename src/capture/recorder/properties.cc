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
  Property* added = known < kPropertiesOfOne ? new_property(layer, {key, key_length}, value_length) : nullptr;
  if (!added) {
    spool.header->lost_properties++;
    return false;
  }
  memcpy(value_of(added), value, value_length);
  link_property(record, added);
  return true;
}

char* value_of(Property* property) { return reinterpret_cast<char*>(property + 1) + property->key_length; }

Property* new_property(Layer layer, std::string_view key, size_t value_length) {
  const uint32_t offset = allocate(static_cast<uint32_t>(sizeof(Property) + key.size() + value_length));
  if (!offset) return nullptr;
  auto* property = at<Property>(offset);
  property->key_length = static_cast<uint16_t>(key.size());
  property->value_length = static_cast<uint16_t>(value_length);
  property->layer = layer;
  memcpy(property + 1, key.data(), key.size());
  return property;
}

void link_property(Record* to, Property* added) {
  added->next = to->properties;
  std::atomic_signal_fence(std::memory_order_release);
  to->properties = offset_of(added);
}

}  // namespace headrace::capture
