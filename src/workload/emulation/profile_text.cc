#include "workload/emulation/measure.h"
#include "workload/emulation/profile.h"

namespace headrace::workload::emulation {
namespace {

/// Three digits that count.
uint64_t rounded(uint64_t value) {
  uint64_t unit = 1;
  while (value / unit >= 1000) unit *= 10;
  return value / unit * unit;
}

const char* how(const std::string& section, const std::string& key) {
  if (section == "latency") return key == "sync" ? "median of fsync after a write" : "median of calls of 1 KiB";
  if (section == "metadata")
    return key == "latency" ? "what one process alone waited longer than that, at least"
                            : "the best rate of all together";
  if (section == "bandwidth")
    return key.starts_with("process_") ? "one process, 1 MiB at a time, stored and not cached"
                                       : "all together, as well";
  return "two processes that wrote into one block and into two";
}

}  // namespace

std::string profile_text(const Measured& measured, const std::string& title, const std::string& source) {
  std::string text = "# " + source + "\ntitle = \"" + title + "\"\n", section;
  for (const Constant& each : kConstants) {
    const uint64_t value = rounded(measured.constants.*each.place);
    if (value == 0 || each.unit == Unit::kQueue) continue;
    if (section != each.section) text += "\n[" + (section = each.section) + "]\n";
    const uint64_t shown = each.unit == Unit::kSize ? measured.constants.*each.place : value;
    text += std::string(each.key) + " = \"" + written(shown, each.unit) +
            "\"  # measured: " + how(each.section, each.key) + "\n";
  }
  return text;
}

}  // namespace headrace::workload::emulation
