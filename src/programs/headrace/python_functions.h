// Functions of Python programs in their trace, on request (--trace-python).
#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// Adds what makes interpreters of Python import share/headrace/python/sitecustomize.py at their start, and tells that
/// file which functions: `chosen`, "" = none, which adds nothing.
void record_python_functions(const std::string& chosen, std::vector<std::string>* environment);

}  // namespace headrace::programs
