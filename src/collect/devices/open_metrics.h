// What a monitor sees as text of OpenMetrics 1.0 (RFC-style specification at openmetrics.io), for scrapers such as
// Prometheus and for the textfile collector of node_exporter.
#pragma once
#include <map>
#include <string>

#include "collect/devices/counters.h"

namespace headrace::collect {

/// Of the monitor itself, since it started.
struct MonitorFigures {
  uint64_t samples = 0, lost = 0, garbled = 0;
  // By reason; each is there from the start, or a scraper would not see the first one of it.
  std::map<std::string, uint64_t> gaps = {{"restart", 0}, {"reboot", 0}, {"reset", 0}, {"gone", 0},
                                          {"clock", 0},   {"missed", 0}, {"lost", 0}};
  double interval_seconds = 0;
  bool storing = true;
};

/// Counters as the kernel has them: a scraper sees itself when they begin anew. Pure.
std::string open_metrics(const Look& look, const MonitorFigures& figures);

}  // namespace headrace::collect
