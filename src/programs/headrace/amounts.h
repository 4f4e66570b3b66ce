// Amounts as people read them.
#pragma once
#include <cstdint>
#include <string>

namespace headrace::programs {

/// Three digits that count: "999 B", "9.77 KiB", "1.5 MiB", "210 GiB".
std::string amount(double bytes);

}  // namespace headrace::programs
