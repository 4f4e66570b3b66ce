// Layouts of files on Lustre: whatever a file system gives for one, reading ends and says no more than the bytes hold.

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "capture/harvest/lustre_layout.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto properties = headrace::capture::lustre_properties({data, size});
  if (!properties.ok()) {
    if (properties.message().empty()) __builtin_trap();
    return 0;
  }
  // A part takes at least 16 bytes besides its entry, a server 24.
  if (properties->size() > 8 + size / 48 * 8) __builtin_trap();
  size_t servers = 0;
  std::set<std::string> keys;
  for (const auto& [key, value] : *properties) {
    if (!keys.insert(key).second || value.empty()) __builtin_trap();
    if (!key.starts_with("lustre.")) __builtin_trap();
    if (key != "lustre.osts") continue;
    for (const char c : value) servers += c == ',' ? 1 : 0;
  }
  if (servers > size / 24) __builtin_trap();
  return 0;
}
