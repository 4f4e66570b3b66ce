#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// `headrace mount`: becomes the program that does it, which needs libfuse.
int mount_servers(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
