// Which mounted file system holds a path, by longest prefix. Symbolic links are not followed here: that costs calls on
// the very file systems that are being observed, long after the fact. JobLog does where it matters.
//
// Plain values; one thread at a time per table.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headrace::capture {

struct Mount {
  uint64_t id = 0;  // content hash of the other members
  std::string point, type, source, options;
};

class MountTable {
 public:
  /// Parses the text of /proc/<pid>/mountinfo (proc(5)); lines that do not parse are skipped.
  static MountTable parse(std::string_view mountinfo);
  /// Of this process; empty when /proc is not there.
  static MountTable of_this_process();

  /// One that the kernel does not know, over what is there.
  void add(Mount mount);

  /// Null when no mount is a prefix of `path`, as for relative paths and names of pipes.
  const Mount* find(std::string_view path) const;

  /// Whether something is mounted below a directory, which then holds files of several file systems.
  bool has_below(std::string_view directory) const;

  const std::vector<Mount>& mounts() const { return mounts_; }

 private:
  std::vector<Mount> mounts_;
  std::unordered_map<std::string, uint32_t> by_point_;  // the one mounted last is the one that is seen
  mutable std::string last_directory_;                  // neighbours in a directory are asked for in turn
  mutable const Mount* last_mount_ = nullptr;
};

}  // namespace headrace::capture
