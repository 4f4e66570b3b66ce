#include "base/prometheus_text.h"

#include <algorithm>
#include <cctype>

namespace headrace::base {
namespace {

constexpr std::string_view kType = "# TYPE ", kHelp = "# HELP ", kUnit = "# UNIT ";

/// The first word, which `text` then lacks.
std::string_view word_of(std::string_view& text) {
  const std::string_view word = text.substr(0, std::min(text.find(' '), text.size()));
  text.remove_prefix(word.size());
  return word;
}

std::string lower(std::string_view text) {
  std::string made(text);
  for (char& c : made) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return made;
}

}  // namespace

std::string prometheus_text(std::string_view open_metrics) {
  std::string text;
  std::string_view counter;  // whose samples have "_total"
  while (!open_metrics.empty()) {
    const size_t end = std::min(open_metrics.find('\n'), open_metrics.size());
    const std::string_view line = open_metrics.substr(0, end);
    open_metrics.remove_prefix(std::min(end + 1, open_metrics.size()));
    if (line.starts_with(kUnit)) continue;
    const bool is_type = line.starts_with(kType);
    if (!is_type && !line.starts_with(kHelp)) {
      (text += line) += '\n';
      continue;
    }
    std::string_view rest = line.substr(kType.size());
    const std::string_view name = word_of(rest);
    if (is_type) counter = rest == " counter" ? name : std::string_view();
    ((text += line.substr(0, kType.size())) += name) += name == counter ? "_total" : "";
    (text += rest) += '\n';
  }
  return text;
}

bool accepts_open_metrics(std::string_view request) {
  const std::string headers = lower(request);
  const size_t begin = headers.find("\naccept:");
  if (begin == headers.npos) return true;
  const size_t end = std::min(headers.find('\n', begin + 1), headers.size());
  return std::string_view(headers).substr(begin, end - begin).find("application/openmetrics-text") != std::string::npos;
}

}  // namespace headrace::base
