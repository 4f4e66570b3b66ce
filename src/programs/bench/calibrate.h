// `headrace bench calibrate`: a profile for --emulate, of the file system that is here.
#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// 0, 2 wrong usage, 3 a call failed or something does not fit, 128 + a signal.
int calibrate(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
