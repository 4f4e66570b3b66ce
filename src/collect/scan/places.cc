#include "collect/scan/places.h"

namespace headrace::collect {

using base::Code;
using base::Result;
using base::Status;

Result<std::vector<ProjectRule>> rules_of(std::string_view text) {
  std::vector<ProjectRule> rules;
  while (!text.empty()) {
    ProjectRule& rule = rules.emplace_back();
    for (std::string* field : {&rule.project, &rule.user, &rule.group, &rule.path}) {
      const size_t end = text.find('\0');
      if (end == text.npos) return Status(Code::kCorrupt, "the rules of the project map end too early");
      *field = text.substr(0, end);
      text.remove_prefix(end + 1);
    }
  }
  return rules;
}

std::string text_of(const std::vector<ProjectRule>& rules) {
  std::string text;
  for (const ProjectRule& rule : rules) {
    for (const std::string* field : {&rule.project, &rule.user, &rule.group, &rule.path}) {
      text += *field;
      text += '\0';
    }
  }
  return text;
}

bool is_below(std::string_view path, std::string_view top) {
  return top == "/" || (path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/'));
}

Places::Places(std::vector<ProjectRule> rules) : rules_(std::move(rules)), paths_(1) {
  for (ProjectRule& rule : rules_) {
    while (rule.path.size() > 1 && rule.path.back() == '/') rule.path.pop_back();
    if (!rule.path.empty()) numbers_.emplace(rule.path, 0);
  }
  for (auto& [path, number] : numbers_) {
    number = static_cast<uint32_t>(paths_.size());
    paths_.push_back(path);
  }
}

uint32_t Places::of(std::string_view directory) const {
  if (numbers_.empty()) return 0;
  for (;;) {
    if (const auto found = numbers_.find(directory); found != numbers_.end()) return found->second;
    const size_t slash = directory.rfind('/');
    if (slash == directory.npos || directory == "/") return 0;
    directory = slash == 0 ? "/" : directory.substr(0, slash);
  }
}

std::string Places::project(uint32_t place, std::string_view user, std::string_view group) const {
  const std::string& path = paths_[place < paths_.size() ? place : 0];
  for (size_t i = rules_.size(); i-- > 0;) {
    const ProjectRule& rule = rules_[i];
    const bool fits = (rule.user.empty() || rule.user == user) && (rule.group.empty() || rule.group == group) &&
                      (rule.path.empty() || (!path.empty() && is_below(path, rule.path)));
    if (fits) return rule.project;
  }
  return "";
}

}  // namespace headrace::collect
