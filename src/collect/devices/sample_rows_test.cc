#include "collect/devices/sample_rows.h"

#include <gtest/gtest.h>

namespace headrace::collect {
namespace {

Rows sample(const std::string& device, uint64_t tick) {
  Rows rows;
  rows.samples.kind = {"block"};
  rows.samples.device = {device};
  rows.samples.times.add(tick, static_cast<int64_t>(tick) * 10, static_cast<int64_t>(tick) * 10 + 9);
  for (size_t i = 0; i < kCounters; ++i) rows.samples.counters[i] = {static_cast<int64_t>(tick * 100 + i)};
  return rows;
}

TEST(SampleRows, AreSortedByDeviceWithAllThatBelongsToThem) {
  Rows all;
  Names names;
  const std::vector<std::pair<const char*, uint64_t>> rows = {{"b", 1}, {"a", 2}, {"b", 3}, {"a", 4}};
  for (const auto& [device, tick] : rows) {
    const std::string name = device;  // goes, and the row stays
    all.append(sample(name, tick), names);
  }
  all.sort();
  const uint64_t ticks[] = {2, 4, 1, 3};
  for (size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(all.samples.device[row], row < 2 ? "a" : "b");
    EXPECT_EQ(all.samples.times.tick[row], ticks[row]);
    EXPECT_EQ(all.samples.times.start_us[row], static_cast<int64_t>(ticks[row]) * 10);
    EXPECT_EQ(all.samples.times.end_us[row], static_cast<int64_t>(ticks[row]) * 10 + 9);
    for (size_t i = 0; i < kCounters; ++i)
      EXPECT_EQ(all.samples.counters[i][row], static_cast<int64_t>(ticks[row] * 100 + i));
  }
  EXPECT_EQ(names.size(), 2U);
}

}  // namespace
}  // namespace headrace::collect
