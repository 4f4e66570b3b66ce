#include "forward/server/metrics.h"

namespace headrace::forward {

void add_metric(std::string* text, const char* name, const char* type, const char* unit, const char* help) {
  *text += std::string("# TYPE headrace_forward_") + name + " " + type + "\n";
  if (*unit != '\0') *text += std::string("# UNIT headrace_forward_") + name + " " + unit + "\n";
  *text += std::string("# HELP headrace_forward_") + name + " " + help + "\n";
}

void add_value(std::string* text, const std::string& name, const std::string& label, const std::string& value) {
  *text += "headrace_forward_" + name + (label.empty() ? "" : "{" + label + "}") + " " + value + "\n";
}

std::string seconds_text(uint64_t nanoseconds) {
  const std::string rest = std::to_string(nanoseconds % 1'000'000'000);
  return std::to_string(nanoseconds / 1'000'000'000) + "." + std::string(9 - rest.size(), '0') + rest;
}

void add_single(std::string* text, const char* name, const char* type, const char* unit, const char* help,
                const std::string& value) {
  add_metric(text, name, type, unit, help);
  add_value(text, std::string(name) + (type[0] == 'c' ? "_total" : ""), "", value);
}

}  // namespace headrace::forward
