// Statistics of devices and of Lustre as the kernel has them as text: the first byte chooses whose. Whatever a text
// holds, reading ends, no counter is below what "not known" is, and the rows of two looks are as long as their columns.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "collect/devices/diskstats.h"
#include "collect/devices/lustre_stats.h"
#include "collect/devices/tracker.h"

using namespace headrace::collect;

namespace {

void check(const Look& look) {
  for (size_t i = 0; i < look.device_count; ++i) {
    for (const int64_t counter : look.devices[i].counters) {
      if (counter < kNotKnown) __builtin_trap();
    }
  }
  for (size_t i = 0; i < look.job_count; ++i) {
    for (const int64_t counter : look.jobs[i].counters) {
      if (counter < 0) __builtin_trap();
    }
  }
}

void read(uint8_t whose, std::string_view text, Look& look) {
  DeviceFilter filter({}, {}, "");
  if (whose % 3 == 0) parse_diskstats(text, filter, look);
  if (whose % 3 == 1) {
    Reading& reading = look.add_device();
    reading.kind = Kind::kLustreOst;
    reading.device = "target";
    parse_lustre_stats(text, reading.counters);
  }
  if (whose % 3 == 2) parse_job_stats(text, "target", look);
  check(look);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t half = data[1] * text.size() / 256;
  Tracker tracker(1'000'000, "boot", {});
  Look look;
  for (int step = 0; step < 2; ++step) {
    look.begin({1'000'000 * step, 1'000'000 * step});
    read(data[0], step == 0 ? text.substr(0, half) : text.substr(half), look);
    const Rows& rows = tracker.compare(look);
    for (const auto& column : rows.samples.counters) {
      if (column.size() != rows.samples.kind.size()) __builtin_trap();
      for (const int64_t value : column) {
        if (value < kNotKnown) __builtin_trap();
      }
    }
    for (const auto& column : rows.jobs.counters) {
      for (const int64_t value : column) {
        if (value < 0) __builtin_trap();
      }
    }
    tracker.commit();
  }
  return 0;
}
