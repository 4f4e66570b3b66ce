#pragma once
// The directories that files lie in, with the sums of all that is below each: what a treemap shows. Pure functions.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings/frame.h"

namespace headrace::bindings {

/// What a node adds up, in this order.
enum class Measure : uint8_t { files, bytes_read, bytes_written, time_ns, calls };
inline constexpr size_t kMeasures = 5;

struct TreeNode {
  static constexpr uint32_t kNoParent = 0xffffffff;
  uint32_t parent;   // index of another node before this one; kNoParent: a root
  std::string name;  // one component, or several ("a/b") where nothing else is in between
  uint64_t others;   // 0: a file or directory; else how many of the parent's children this node stands for
  std::array<double, kMeasures> sums;
};

/// The tree of the paths in file records merged by path, cut down to `most` nodes (at least 2): those with the greatest
/// share of any measure, and for the children that are left out one node each. Parents come before children. Sums of a
/// parent contain those of its children. Components beyond the 40th are one component.
std::vector<TreeNode> path_tree(const Frame& by_path, uint64_t most);

}  // namespace headrace::bindings
