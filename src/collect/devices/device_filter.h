// Which block devices are sampled. Partitions, loop, ram and zram devices are not, unless they are asked for.
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headrace::collect {

/// "sda1" of "sda", "nvme0n1p2" of "nvme0n1": the names that the kernel gives partitions (disk_name() of its
/// block/partitions/core.c). "md10" is no partition of "md1".
bool is_partition_of(std::string_view name, std::string_view disk);

/// One thread at a time.
class DeviceFilter {
 public:
  /// Patterns with * and ?. `keep`: if there are any, only devices that one of them fits, whatever kind they are.
  /// `leave_out`: none that one of them fits, in any case.
  DeviceFilter(std::vector<std::string> keep, std::vector<std::string> leave_out)
      : keep_(std::move(keep)), leave_out_(std::move(leave_out)) {}

  /// `all`: the names in the same listing, to know partitions by. Decided once for a name.
  bool takes(std::string_view name, const std::vector<std::string_view>& all);

 private:
  bool decide(const std::string& name, const std::vector<std::string_view>& all) const;

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::vector<std::string> keep_, leave_out_;
  std::unordered_map<std::string, bool, Hash, std::equal_to<>> known_;
};

}  // namespace headrace::collect
