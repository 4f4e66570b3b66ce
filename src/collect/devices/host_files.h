// The files of one host in a store, by their names.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headrace::collect {

/// Paths of what is in a directory under names that end so, without that end, by name.
std::vector<std::string> names_with(const std::string& directory, const std::string& end);

/// Paths of finished files, each behind the second since 1970 in which it was changed, the oldest first.
std::vector<std::pair<int64_t, std::string>> finished_files(const std::string& directory);

}  // namespace headrace::collect
