// Which paths get records. The longest matching prefix decides; of equal ones the rule given last.
#pragma once
#include <cstdint>

namespace headrace::capture {

/// Adds a rule to those that every process begins with: system directories out, /dev/shm in. Returns false when the
/// table is full. Before other threads exist.
bool add_rule(const char* prefix, bool exclude);
/// The number of the rule that excludes `path` (< kExclusionRules), or −1 if it is included.
int excluding_rule(const char* path, uint32_t length);
/// Writes the excluding prefixes, NUL-separated in rule order, into the spool's header.
void store_rules();

}  // namespace headrace::capture
