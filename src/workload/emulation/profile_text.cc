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

const char* measured_by(const std::string& section, const std::string& key) {
  if (section == "latency") return key == "sync" ? "median of fsync after a write" : "median of calls of 1 KiB";
  if (section == "metadata" && (key == "create" || key == "open"))
    return "the best rate of all together, with the close that follows";
  if (section == "metadata")
    return key == "latency" ? "what one process alone waited longer than that, at least"
                            : "the best rate of all together";
  if (section == "bandwidth")
    return key.starts_with("process_") ? "one process, 1 MiB at a time, stored and not cached"
                                       : "all together, as well";
  return "two processes that wrote into one block and into two";
}

std::string how(Origin origin, const Constant& constant) {
  if (origin == Origin::kEmulated) return "not measured: from the emulated profile";
  if (origin == Origin::kStated) return "not measured: as the file system states";
  return std::string("measured: ") + measured_by(constant.section, constant.key);
}

/// As profiles write it; "" for what costs nothing or is not known.
std::string value_of(const Measured& measured, const Constant& constant) {
  const uint64_t value = measured.constants.*constant.place;
  const Origin origin = measured.origins[index_of(constant.place)];
  if (origin == Origin::kUnknown || (value == 0 && constant.unit != Unit::kQueue)) return "";
  const bool exact = origin != Origin::kMeasured;
  return written(exact ? value : rounded(value), constant.unit);
}

}  // namespace

void complete(const Constants& emulated, Measured* measured) {
  const auto take = [&](uint64_t Constants::* place) {
    measured->constants.*place = emulated.*place;
    measured->origin(place) = Origin::kEmulated;
  };
  take(&Constants::queue_per_directory);
  take(&Constants::file_system);
  take(&Constants::lock_block);
  // Writers that did not meet say nothing of a lock, and a block without a conflict is no profile.
  if (measured->constants.lock_conflict == 0 || emulated.lock_block == 0) take(&Constants::lock_conflict);
}

std::string profile_text(const Measured& measured, const std::string& title, const std::string& source,
                         const std::string& hints) {
  std::string text = "# " + source + "\ntitle = \"" + title + "\"\n", section;
  for (const Constant& each : kConstants) {
    const std::string value = value_of(measured, each);
    if (value.empty()) continue;
    if (section != each.section) text += "\n[" + (section = each.section) + "]\n";
    text +=
        std::string(each.key) + " = \"" + value + "\"  # " + how(measured.origins[index_of(each.place)], each) + "\n";
  }
  if (hints.empty()) return text;
  if (section != "system") text += "\n[system]\n";
  return text + "romio_hints = \"" + hints + "\"  # " + how(Origin::kEmulated, kConstants[0]) + "\n";
}

}  // namespace headrace::workload::emulation
