#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// `headrace bench`: becomes the program that does it, which may load an MPI.
int bench(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
