// `headrace serve`: a forwarding server, and `headrace status`, which asks servers how they are.
#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

int serve(const std::vector<std::string>& arguments);
int server_status(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
