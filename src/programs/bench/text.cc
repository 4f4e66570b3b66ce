#include "programs/bench/text.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/json_text.h"

namespace headrace::programs {

std::string format(const char* how, ...) {
  char text[512];
  va_list values;
  va_start(values, how);
  vsnprintf(text, sizeof text, how, values);
  va_end(values);
  return text;
}

std::string count_of(uint64_t number, const char* noun) {
  return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

double seconds(uint64_t ns) { return static_cast<double>(ns) / 1e9; }

std::string quoted(const std::string& text) {
  std::string out;
  base::append_json(out, text);
  return out;
}

}  // namespace headrace::programs
