// Lines of the text format of OpenMetrics 1.0.
#pragma once
#include <cstdint>
#include <string>

namespace headrace::forward {

/// The head of a metric: what its values mean. `unit` may be "".
void add_metric(std::string* text, const char* name, const char* type, const char* unit, const char* help);
void add_value(std::string* text, const std::string& name, const std::string& label, const std::string& value);
/// A metric of one value; `type` is "counter" or "gauge".
void add_single(std::string* text, const char* name, const char* type, const char* unit, const char* help,
                const std::string& value);
std::string seconds_text(uint64_t nanoseconds);

}  // namespace headrace::forward
