// One line on a terminal that says how far a scan is.
#pragma once
#include <string>

#include "collect/scan/scan.h"

namespace headrace::programs {

/// "1,234,567 entries, 812,345/s, 34 % of what is in use there, about 2 min left"
std::string progress_text(const collect::Progress& now);
/// "1,234,567"
std::string grouped(int64_t number);

}  // namespace headrace::programs
