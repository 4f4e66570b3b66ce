// `headrace config`: what an administrator or a Makefile needs to know of this installation.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace headrace::programs {

/// Arguments for a compiler that link a program with the capture library. kInvalid: the path of this installation has
/// characters that compilers cannot be told. kNotFound: it was built without the variant for static programs.
base::Result<std::string> link_flags();
base::Result<std::string> static_link_flags();

/// Returns the exit status.
int config(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
