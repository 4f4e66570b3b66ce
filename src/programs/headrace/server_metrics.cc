#include "programs/headrace/server_metrics.h"

#include <algorithm>

namespace headrace::programs {
namespace {

std::string label_of(std::string_view address) {
  std::string label = "server=\"";
  for (const char c : address) {
    if (c == '\\' || c == '"') label += '\\';
    if (c == '\n')
      label += "\\n";
    else
      label += c;
  }
  return label + "\"";
}

/// The name in "# TYPE NAME counter"; empty: the line is another one.
std::string_view named(std::string_view line) {
  for (const std::string_view begin : {"# TYPE ", "# UNIT ", "# HELP "}) {
    if (!line.starts_with(begin)) continue;
    const std::string_view rest = line.substr(begin.size());
    return rest.substr(0, rest.find(' '));
  }
  return {};
}

/// NAME{a="b"} 1 and NAME 1 with a label more.
std::string labelled(std::string_view line, const std::string& label) {
  const size_t end = line.find_first_of("{ ");
  const std::string name(line.substr(0, end));
  if (end == line.npos) return {};
  const bool is_first = line[end] == ' ';
  return name + "{" + label + (is_first ? "}" : ",") + std::string(line.substr(is_first ? end : end + 1)) + "\n";
}

}  // namespace

ServerMetrics::Family& ServerMetrics::family(std::string_view name) {
  const auto found = std::find_if(families_.begin(), families_.end(), [&](auto& each) { return each.name == name; });
  return found != families_.end() ? *found : families_.emplace_back(Family{std::string(name), "", ""});
}

void ServerMetrics::add(std::string_view address, std::string_view text) {
  const std::string label = label_of(address);
  up_ += "headrace_forward_up{" + label + "} 1\n";
  std::string current;
  bool is_known = false;  // the head of the current metric, from another server
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (const auto name = named(line); !name.empty()) {
      if (name != current) is_known = !family(name).head.empty();
      current = name;
      if (!is_known) family(name).head += std::string(line) + "\n";
    } else if (!line.starts_with('#') && !current.empty() && line.starts_with(current)) {
      family(current).values += labelled(line, label);
    }
  }
}

void ServerMetrics::add_silent(std::string_view address) {
  up_ += "headrace_forward_up{" + label_of(address) + "} 0\n";
}

std::string ServerMetrics::text() const {
  std::string text =
      "# TYPE headrace_forward_up gauge\n"
      "# HELP headrace_forward_up 1: the server answers; 0: it does not.\n" +
      up_;
  for (const Family& each : families_) text += each.head + each.values;
  return text + "# EOF\n";
}

}  // namespace headrace::programs
