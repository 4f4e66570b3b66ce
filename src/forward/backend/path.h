// Paths as texts.
#pragma once
#include <string_view>
#include <vector>

namespace headrace::forward {

/// The names in a path; "." and empty ones are left out.
std::vector<std::string_view> parts_of(std::string_view path);
/// Whether an absolute path is at or below a root; `rest` is then what follows the root.
bool below(std::string_view path, std::string_view root, std::string_view* rest);

}  // namespace headrace::forward
