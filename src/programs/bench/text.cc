#include "programs/bench/text.h"

#include <stdarg.h>
#include <stdio.h>

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

}  // namespace headrace::programs
