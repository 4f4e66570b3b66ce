#include "collect/devices/open_metrics.h"

#include <stdio.h>

namespace headrace::collect {
namespace {

struct Metric {
  Counter counter;
  const char *name, *unit, *help;
  double scale;
};

constexpr double kMs = 1e-3;
constexpr Metric kMetrics[] = {
    {kReads, "reads", "", "Completed reads.", 1},
    {kReadBytes, "read_bytes", "bytes", "Bytes read.", 1},
    {kWrites, "writes", "", "Completed writes.", 1},
    {kWriteBytes, "write_bytes", "bytes", "Bytes written.", 1},
    {kReadMs, "read_seconds", "seconds", "Time that reads took, each counted.", kMs},
    {kWriteMs, "write_seconds", "seconds", "Time that writes took, each counted.", kMs},
    {kBusyMs, "busy_seconds", "seconds", "Time in which something was going on.", kMs},
    {kQueueMs, "queue_seconds", "seconds", "The same, times how many were going on.", kMs},
    {kMetadata, "metadata_operations", "", "Metadata operations of a target of Lustre.", 1},
};

std::string label(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    if (c == '\n')
      escaped += "\\n";
    else
      escaped += c;
  }
  return escaped;
}

void begin(std::string& text, const std::string& name, const char* type, const char* unit, const char* help) {
  text += "# TYPE " + name + " " + type + "\n";
  if (*unit != 0) text += "# UNIT " + name + " " + unit + "\n";
  text += "# HELP " + name + " " + help + "\n";
}

std::string number(int64_t value, double scale) {
  char digits[40];
  if (scale == 1)
    snprintf(digits, sizeof digits, "%lld", static_cast<long long>(value));
  else
    snprintf(digits, sizeof digits, "%.3f", static_cast<double>(value) * scale);
  return digits;
}

void add_devices(std::string& text, const Look& look, const Metric& metric) {
  const std::string name = std::string("headrace_device_") + metric.name;
  bool begun = false;
  for (size_t i = 0; i < look.device_count; ++i) {
    const Reading& reading = look.devices[i];
    if (reading.counters[metric.counter] == kNotKnown) continue;
    if (!begun) begin(text, name, "counter", metric.unit, metric.help);
    begun = true;
    text += name + "_total{device=\"" + label(reading.device) + "\",kind=\"" + kind_name(reading.kind) + "\"} " +
            number(reading.counters[metric.counter], metric.scale) + "\n";
  }
}

void add_single(std::string& text, const std::string& name, uint64_t value, const char* help) {
  begin(text, name, "counter", "", help);
  text += name + "_total " + std::to_string(value) + "\n";
}

}  // namespace

std::string open_metrics(const Look& look, const MonitorFigures& figures) {
  std::string text;
  for (const Metric& metric : kMetrics) add_devices(text, look, metric);
  add_single(text, "headrace_monitor_samples", figures.samples, "Samples taken and stored since the monitor started.");
  add_single(text, "headrace_monitor_lost_samples", figures.lost, "Samples that could not be taken or stored.");
  add_single(text, "headrace_monitor_garbled_lines", figures.garbled, "Lines of the kernel that were not understood.");
  begin(text, "headrace_monitor_gaps", "counter", "", "Gaps between samples, by reason.");
  for (const auto& [reason, count] : figures.gaps)
    text += "headrace_monitor_gaps_total{reason=\"" + reason + "\"} " + std::to_string(count) + "\n";
  begin(text, "headrace_monitor_interval_seconds", "gauge", "seconds", "Time between samples, as asked for.");
  char interval[80];
  snprintf(interval, sizeof interval, "headrace_monitor_interval_seconds %g\n", figures.interval_seconds);
  text += interval;
  begin(text, "headrace_monitor_storing", "gauge", "", "1: the last sample was stored; 0: it could not be.");
  text += std::string("headrace_monitor_storing ") + (figures.storing ? "1" : "0") + "\n# EOF\n";
  return text;
}

}  // namespace headrace::collect
