// How a run of `headrace bench` ends, and what it says of that.
#pragma once
#include <string>

namespace headrace::programs {

constexpr int kWrongData = 1;  ///< what was read is not what was written
constexpr int kUsage = 2;      ///< a mistake in the arguments
constexpr int kFailed = 3;     ///< a call failed
constexpr int kTooLarge = 4;   ///< the directory has no room for it

/// A line to stderr.
void say(const std::string& text);

}  // namespace headrace::programs
