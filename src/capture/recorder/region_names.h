// The names of regions and counters in this process, by number and by what they are. Internal to regions.
#pragma once
#include "capture/event_layout.h"
#include "capture/recorder/state.h"

namespace headrace::capture {

struct RegionName {
  const char* text;  // with NUL
  uint32_t length;
  uint32_t file;  // State::event_file that has it; 0: none yet
  RegionKind kind;
  uint8_t left_out;      // Account + 1; 0: it is recorded
  uint32_t refused = 0;  // State::event_file that has no room for it; 0: none yet
};

/// A word for a name of a kind, or for whatever else has a number.
uint64_t region_key(RegionKind kind, uint64_t hash);
/// 0: it has no number. No lock.
uint32_t find_region(uint64_t key);
/// The number of a key, given now if it has none; 0: there is no memory. Takes the lock.
uint32_t add_region(uint64_t key, RegionKind kind, const char* text, uint32_t length);
/// `number`: one that was given.
RegionName& region_name(uint32_t number);
bool is_region(uint32_t number);

}  // namespace headrace::capture
