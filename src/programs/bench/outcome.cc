#include "programs/bench/outcome.h"

#include <stdio.h>

namespace headrace::programs {

void say(const std::string& text) { fprintf(stderr, "headrace bench: %s\n", text.c_str()); }

}  // namespace headrace::programs
