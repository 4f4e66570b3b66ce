// `headrace scan`: a walk through file systems is a native program's, what is done with its file is Python's.
#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// Whether these words after `scan` are of the Python package.
bool scan_is_of_files(const std::vector<std::string>& arguments);
/// Becomes headrace-scan; returns an exit status where that cannot be.
int scan(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
