// `headrace collect`: makes logs of spools that no launcher harvests.
#pragma once
#include <string>
#include <vector>

namespace headrace::programs {

/// Returns the exit status: 0 done (also when there was nothing), 1 something could not be collected, 125 a mistake in
/// the options.
int collect(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
