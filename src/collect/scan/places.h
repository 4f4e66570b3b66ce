#pragma once
// The project map as a walk needs it: which of its paths a directory lies below, and in the end which project
// somebody's files there belong to. Pure but for what it is made of; safe in any number of threads once made.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headrace::collect {

/// Files belong to the project of the last rule that fits; "" fits all.
struct ProjectRule {
  std::string project, user, group, path;
  auto operator<=>(const ProjectRule&) const = default;
};

/// As `headrace scan rules MAP` prints them: four fields a rule, each followed by a NUL byte. kCorrupt: something else.
base::Result<std::vector<ProjectRule>> rules_of(std::string_view text);
std::string text_of(const std::vector<ProjectRule>& rules);

/// Whether a path is `top` or lies below it. Both are absolute, without a slash at the end.
bool is_below(std::string_view path, std::string_view top);

class Places {
 public:
  explicit Places(std::vector<ProjectRule> rules);
  /// Number of the deepest path of a rule that is `directory` (absolute) or lies above it; 0: there is none.
  uint32_t of(std::string_view directory) const;
  /// "" when they belong to no project.
  std::string project(uint32_t place, std::string_view user, std::string_view group) const;
  const std::vector<ProjectRule>& rules() const { return rules_; }

 private:
  std::vector<ProjectRule> rules_;
  std::map<std::string, uint32_t, std::less<>> numbers_;  // of each path, by path
  std::vector<std::string> paths_;                        // by number
};

}  // namespace headrace::collect
