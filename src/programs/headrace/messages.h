// What the launcher says, always on stderr and always in one write, so that it cannot mix with the program's own lines.
#pragma once
#include <string>

namespace headrace::programs {

/// "headrace: TEXT\n"; lost without harm when stderr is closed.
void say(const std::string& text);

}  // namespace headrace::programs
