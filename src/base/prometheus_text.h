#pragma once
// Figures in the text format of Prometheus 0.0.4, which node_exporter's textfile collector and promtool read, made of
// our text of OpenMetrics. The two differ in what a counter is called: OpenMetrics describes NAME and counts
// NAME_total.

#include <string>
#include <string_view>

namespace headrace::base {

/// Each family described by the name of its samples, and without units, which that format does not have. Pure.
std::string prometheus_text(std::string_view open_metrics);

/// Whether who asks by HTTP with these headers reads OpenMetrics: who says nothing of it but says what it accepts, as
/// curl does, gets the older format.
bool accepts_open_metrics(std::string_view request);

}  // namespace headrace::base
