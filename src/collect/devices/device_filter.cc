#include "collect/devices/device_filter.h"

#include <algorithm>

#include "base/pattern.h"

namespace headrace::collect {
namespace {

constexpr size_t kMostKnown = 65536;  // device-mapper names may come and go for months

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool fits(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return base::matches_pattern(pattern.c_str(), name.c_str()); });
}

bool is_of_memory(std::string_view name) {
  for (const std::string_view prefix : {"loop", "ram", "zram"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size() && is_digit(name[prefix.size()])) return true;
  }
  return false;
}

}  // namespace

bool is_partition_of(std::string_view name, std::string_view disk) {
  if (disk.empty() || name.size() <= disk.size() || !name.starts_with(disk)) return false;
  std::string_view rest = name.substr(disk.size());
  if (is_digit(disk.back())) {
    if (rest.front() != 'p') return false;
    rest.remove_prefix(1);
  }
  return !rest.empty() && std::all_of(rest.begin(), rest.end(), is_digit);
}

bool DeviceFilter::takes(std::string_view name, const std::vector<std::string_view>& all) {
  const auto found = known_.find(name);
  if (found != known_.end()) return found->second;
  if (known_.size() >= kMostKnown) known_.clear();
  const std::string text(name);
  return known_[text] = decide(text, all);
}

bool DeviceFilter::decide(const std::string& name, const std::vector<std::string_view>& all) const {
  if (fits(leave_out_, name)) return false;
  if (!keep_.empty()) return fits(keep_, name);
  if (is_of_memory(name)) return false;
  return std::none_of(all.begin(), all.end(), [&](std::string_view disk) { return is_partition_of(name, disk); });
}

}  // namespace headrace::collect
