#include "collect/devices/device_filter.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/pattern.h"

namespace headrace::collect {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool fits(const std::string& pattern, std::string_view name) {
  return base::matches_pattern(pattern.c_str(), std::string(name).c_str());
}

/// Of what is a partition of no disk that there is, `disk` is empty.
bool names(const std::string& pattern, std::string_view name, std::string_view disk) {
  return fits(pattern, name) && (disk.empty() || !fits(pattern, disk));
}

bool is_of_memory(std::string_view name) {
  for (const std::string_view prefix : {"loop", "ram", "zram"}) {
    if (name.starts_with(prefix) && name.size() > prefix.size() && is_digit(name[prefix.size()])) return true;
  }
  return false;
}

/// Of a disk or partition in sysfs. `before`: what is said if it cannot be looked at.
bool has_holder(const std::string& directory, bool before) {
  std::error_code error;
  const std::filesystem::directory_iterator first(directory + "/holders", error);
  if (error == std::errc::no_such_file_or_directory) return false;
  return error ? before : first != std::filesystem::directory_iterator();
}

/// As sysfs has it.
std::string file_name(std::string_view device) {
  std::string name(device);
  std::replace(name.begin(), name.end(), '/', '!');
  return name;
}

}  // namespace

std::string_view disk_of_partition(std::string_view name) {
  std::string_view disk = name;
  while (!disk.empty() && is_digit(disk.back())) disk.remove_suffix(1);
  if (disk.size() == name.size()) return {};
  const bool apart = disk.size() >= 2 && disk.back() == 'p' && is_digit(disk[disk.size() - 2]);
  if (apart) disk.remove_suffix(1);
  return disk;
}

std::optional<Taking> DeviceFilter::decided(std::string_view name) const {
  const auto found = known_.find(name);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void DeviceFilter::decide(const std::vector<std::string_view>& all) {
  const auto before = std::exchange(known_, {});  // names may come and go for months
  Partitions disks;
  for (const std::string_view name : all) disks[name];
  for (const std::string_view name : all) {
    if (const auto disk = disks.find(disk_of_partition(name)); disk != disks.end()) disk->second.push_back(name);
  }
  for (const std::string_view name : all) {
    const auto known = before.find(name);
    const bool left_out = known != before.end() && known->second == Taking::kNo;
    const bool later = left_out || (known != before.end() && known->second == Taking::kSinceLater);
    const bool taken = takes(name, disks, left_out);
    known_[std::string(name)] = !taken ? Taking::kNo : later ? Taking::kSinceLater : Taking::kSinceItCame;
  }
  listed_ = all.size();
  doubtful_ = false;
}

bool DeviceFilter::takes(std::string_view name, const Partitions& disks, bool before) const {
  if (std::any_of(leave_out_.begin(), leave_out_.end(), [&](const auto& pattern) { return fits(pattern, name); }))
    return false;
  const auto found = disks.find(disk_of_partition(name));
  const std::string_view disk = found == disks.end() ? std::string_view() : found->first;
  if (!keep_.empty())
    return std::any_of(keep_.begin(), keep_.end(), [&](const auto& pattern) { return names(pattern, name, disk); });
  if (is_of_memory(name) || !disk.empty()) return false;
  return block_.empty() || !is_part_of_another(name, disks, before);
}

bool DeviceFilter::is_part_of_another(std::string_view name, const Partitions& disks, bool before) const {
  const std::string directory = block_ + "/" + file_name(name);
  if (has_holder(directory, before)) return true;
  const auto& partitions = disks.find(name)->second;
  return std::any_of(partitions.begin(), partitions.end(), [&](std::string_view partition) {
    return has_holder(directory + "/" + file_name(partition), before);
  });
}

}  // namespace headrace::collect
