#include "programs/scan/progress.h"

#include "programs/bench/text.h"

namespace headrace::programs {

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  const size_t first = digits[0] == '-' ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

namespace {

std::string duration(double seconds) {
  if (seconds < 90) return format("%.0f s", seconds);
  return seconds < 5400 ? format("%.0f min", seconds / 60) : format("%.1f h", seconds / 3600);
}

}  // namespace

/// What is in use is an upper bound: less may lie below the directory that is scanned.
std::string progress_text(const collect::Progress& now) {
  const double rate = now.seconds > 0 ? static_cast<double>(now.entries) / now.seconds : 0;
  std::string text = grouped(now.entries) + " entries, " + grouped(static_cast<int64_t>(rate)) + "/s";
  const auto left = static_cast<double>(now.expected - now.entries);
  if (now.expected <= 0 || left <= 0 || rate <= 0) return text;
  const double share = 100.0 * static_cast<double>(now.entries) / static_cast<double>(now.expected);
  return text + format(", %.0f %% of what is in use there, at most %s left", share, duration(left / rate).c_str());
}

}  // namespace headrace::programs
