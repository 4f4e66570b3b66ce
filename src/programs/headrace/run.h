// `headrace run`: runs a command with capture and makes its log.
#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// Returns the exit status for this process, or does not return when the command died of a signal or is not captured at
/// all (HEADRACE=off).
int run(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
