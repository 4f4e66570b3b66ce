// What `headrace monitor` is told.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "collect/devices/sources.h"

namespace headrace::programs {

struct MonitorSettings {
  std::string directory, host, metrics_file, prometheus_file, listen;
  int64_t interval_us = 1'000'000;
  uint64_t count = 0;  // samples; 0: until a signal
  uint32_t keep_days = 0;
  collect::SourceSettings sources;
};

extern const char kMonitorHelp[];

/// kNotFound: help is asked for. kInvalid.
base::Result<MonitorSettings> parse_monitor(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
