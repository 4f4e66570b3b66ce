// Which block devices are sampled. Partitions, loop, ram and zram devices are not, unless they are asked for, nor disks
// that others are made of (multipath, RAID, LVM): what goes through those is counted there.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headrace::collect {

/// Of which disk a device of this name is a partition, if there is that disk: "sda" of "sda1", "nvme0n1" of
/// "nvme0n1p2", "md" of "md10", as the kernel names partitions (disk_name() of its block/partitions/core.c). "": of
/// none.
std::string_view disk_of_partition(std::string_view name);

enum class Taking : uint8_t {
  kNo,
  kSinceItCame,
  kSinceLater,  // it was left out before
};

/// One thread at a time.
class DeviceFilter {
 public:
  /// Patterns with * and ?. `keep`: if there are any, only devices that one of them fits, whatever kind they are; but a
  /// partition only by one that does not fit its disk, lest "sda*" count each byte twice. `leave_out`: none that one of
  /// them fits, in any case. `block`: the directory /sys/block, to know what disks are made of; "": it is not looked
  /// at.
  DeviceFilter(std::vector<std::string> keep, std::vector<std::string> leave_out, std::string block)
      : keep_(std::move(keep)), leave_out_(std::move(leave_out)), block_(std::move(block)) {}

  /// As it was decided; nothing: the name is new.
  std::optional<Taking> decided(std::string_view name) const;
  /// Whether what was decided holds for a listing of so many names: none of them went, and nobody doubts it.
  bool holds_for(size_t names) const { return !doubtful_ && names == listed_; }
  /// Disks may have joined or left others under the names that there are.
  void doubt() { doubtful_ = keep_.empty() && !block_.empty(); }
  /// Decides for all names of a listing, anew for those that are known: what is new may be made of them.
  void decide(const std::vector<std::string_view>& all);

 private:
  using Partitions = std::unordered_map<std::string_view, std::vector<std::string_view>>;  // by disk, of all disks

  bool takes(std::string_view name, const Partitions& disks, bool before) const;
  bool is_part_of_another(std::string_view name, const Partitions& disks, bool before) const;

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::vector<std::string> keep_, leave_out_;
  std::string block_;
  std::unordered_map<std::string, Taking, Hash, std::equal_to<>> known_;
  size_t listed_ = 0;
  bool doubtful_ = false;
};

}  // namespace headrace::collect
