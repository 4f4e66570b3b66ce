// `headrace monitor`: samples of devices (docs/monitor.md). The sampler is a program of its own.
#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// Whether these are words for what is done with samples, by the Python package.
bool monitor_is_of_samples(const std::vector<std::string>& arguments);
/// Becomes headrace-monitor; returns the exit status when that fails.
int monitor(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
