// A profile from anywhere, and what is handed on to programs.
#include <cstddef>
#include <cstdint>
#include <string>

#include "workload/emulation/profile.h"

namespace emulation = headrace::workload::emulation;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  emulation::Constants constants;
  (void)emulation::read_handed_on(text.c_str(), &constants);
  const auto profile = emulation::parse_profile(text, "fuzz.toml");
  if (!profile.ok()) return 0;
  if (!emulation::read_handed_on(emulation::handed_on(profile->constants).c_str(), &constants)) __builtin_trap();
  if (!(constants == profile->constants)) __builtin_trap();
  return 0;
}
