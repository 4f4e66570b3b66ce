// What earlier monitors of a host left in a store.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace headrace::collect {

/// Finishes a file that a killed monitor left, given by its path without ".open.hr": stores those rows of its tail that
/// it lacks and gives it its last name, and only then removes the tail. One that nothing was stored in is removed. It
/// may be killed itself, and called again. Errors of format::Reader and Writer; the file stays.
base::Status finish_left_file(const std::string& base);

/// Paths of all left files and tails of a host's directory, without ".open.hr" or ".tail.hr".
std::vector<std::string> left_files(const std::string& directory);

/// Makes the system store the file now. kIo, kNoSpace.
base::Status synchronize(const std::string& path);

}  // namespace headrace::collect
