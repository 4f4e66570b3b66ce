// What is known of a record besides counts.
#pragma once
#include <string_view>

#include "capture/recorder/records.h"

namespace headrace::capture {

/// Keeps a property of a record in one layer; the latest of a key counts. What finds no room is counted as lost. The
/// record must be referenced. Inside a section. Returns whether it was added.
bool note_property(uint32_t record, Layer layer, const char* key, const char* value);

/// A property that nothing has yet, its value all zeros; null: there is no room. Lock held.
Property* new_property(Layer layer, std::string_view key, size_t value_length);
char* value_of(Property* property);
/// From now on the record has it. Lock held.
void link_property(Record* to, Property* added);

/// Begins the key of what is known of an open that failed, for which no record of its own was made: the last part of
/// its path follows, and the value is why it failed. It stands at the record of the directory.
inline constexpr char kFailedOpen[] = "failed_open.";

}  // namespace headrace::capture
