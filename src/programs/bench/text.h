// Numbers and names as reports print them.
#pragma once
#include <cstdint>
#include <string>

namespace headrace::programs {

/// As printf has it; at most 511 characters.
[[gnu::format(printf, 1, 2)]] std::string format(const char* how, ...);

double seconds(uint64_t ns);

/// As a string of JSON.
std::string quoted(const std::string& text);

/// "1 rank", "2 ranks".
std::string count_of(uint64_t number, const char* noun);

}  // namespace headrace::programs
