#include "capture/harvest/topology.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "capture/harvest/small_file.h"

namespace headrace::capture {
namespace {

using base::Code;
using base::Status;

constexpr size_t kLongestFile = 4 << 20;
constexpr size_t kMostBrackets = 4;  // each multiplies the ways in which a name may fit
constexpr size_t kMostDigits = 18;

std::string_view next_word(std::string_view& line) {
  const size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  line.remove_prefix(begin);
  const size_t end = std::min(line.find_first_of(" \t\r"), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool parse_number(std::string_view text, uint64_t* number) {
  if (text.empty() || text.size() > kMostDigits || !std::all_of(text.begin(), text.end(), is_digit)) return false;
  std::from_chars(text.data(), text.data() + text.size(), *number);
  return true;
}

Status mistake(const std::string& text) { return {Code::kInvalid, text}; }

}  // namespace

base::Result<std::vector<Topology::Range>> Topology::parse_ranges(std::string_view text) {
  std::vector<Range> ranges;
  while (true) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    const size_t dash = std::min(part.find('-'), part.size());
    const std::string_view first = part.substr(0, dash), last = dash < part.size() ? part.substr(dash + 1) : first;
    Range range{0, 0, 0};
    if (!parse_number(first, &range.first) || !parse_number(last, &range.last)) {
      return mistake("\"" + std::string(part) + "\" is no range of numbers; write for example [0001-0064]");
    }
    if (range.last < range.first) return mistake("\"" + std::string(part) + "\" ends before it begins");
    if (first.size() > 1 && first[0] == '0') range.width = first.size();
    ranges.push_back(range);
    if (comma == text.size()) return ranges;
    text.remove_prefix(comma + 1);
  }
}

base::Result<std::vector<Topology::Piece>> Topology::parse_pattern(std::string_view text) {
  std::vector<Piece> pattern;
  while (!text.empty()) {
    const size_t open = std::min(text.find('['), text.size());
    Piece piece{std::string(text.substr(0, open)), {}};
    if (piece.text.find(']') != std::string::npos) return mistake("a ] without its [");
    text.remove_prefix(open);
    if (!text.empty()) {
      const size_t close = text.find(']');
      if (close == std::string_view::npos) return mistake("a [ without its ]");
      HEADRACE_ASSIGN(piece.numbers, parse_ranges(text.substr(1, close - 1)));
      text.remove_prefix(close + 1);
    }
    pattern.push_back(std::move(piece));
    if (pattern.size() > kMostBrackets + 1) {
      return mistake("more than " + std::to_string(kMostBrackets) + " brackets in one name");
    }
  }
  return pattern;
}

base::Result<Topology> Topology::parse(std::string_view text, const std::string& name) {
  Topology topology;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, std::min(end, text.find('#')));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string place = name + ":" + std::to_string(number) + ": ";
    const std::string_view nodes = next_word(line), io_node = next_word(line);
    if (nodes.empty()) continue;
    if (io_node.empty()) return mistake(place + "an I/O node is missing; write: NODES IO-NODE");
    if (!next_word(line).empty()) return mistake(place + "too many words; write: NODES IO-NODE");
    auto pattern = parse_pattern(nodes);
    if (!pattern.ok()) return mistake(place + pattern.message());
    topology.lines_.push_back({std::move(*pattern), std::string(io_node)});
  }
  return topology;
}

base::Result<Topology> Topology::read(const std::string& path) {
  if (access(path.c_str(), R_OK) != 0) return Status(Code::kIo, path + ": " + strerror(errno));
  const std::string text = read_small_file(path.c_str(), kLongestFile);
  if (text.size() == kLongestFile) return Status(Code::kLimit, path + ": is longer than 4 MiB");
  return parse(text, path);
}

bool Topology::one_of(const std::vector<Range>& numbers, std::string_view digits) {
  uint64_t number = 0;
  if (!parse_number(digits, &number)) return false;
  const bool padded = digits.size() > 1 && digits[0] == '0';
  return std::any_of(numbers.begin(), numbers.end(), [&](const Range& range) {
    const bool as_wide =
        range.width == 0 ? !padded : digits.size() == range.width || (!padded && digits.size() > range.width);
    return as_wide && number >= range.first && number <= range.last;
  });
}

bool Topology::fits(const std::vector<Piece>& pattern, size_t piece, std::string_view name) {
  if (piece == pattern.size()) return name.empty();
  const Piece& wanted = pattern[piece];
  if (!name.starts_with(wanted.text)) return false;
  name.remove_prefix(wanted.text.size());
  if (wanted.numbers.empty()) return fits(pattern, piece + 1, name);
  for (size_t length = 1; length <= std::min(kMostDigits, name.size()) && is_digit(name[length - 1]); ++length) {
    if (one_of(wanted.numbers, name.substr(0, length)) && fits(pattern, piece + 1, name.substr(length))) return true;
  }
  return false;
}

std::string Topology::io_node_of(std::string_view node) const {
  const std::string_view without_domain = node.substr(0, node.find('.'));
  for (const Line& line : lines_) {
    if (fits(line.pattern, 0, node) || fits(line.pattern, 0, without_domain)) return line.io_node;
  }
  return "";
}

std::string leaf_switch(std::string_view address, std::string_view pattern) {
  std::string found;
  while (!address.empty() && !pattern.empty()) {
    const size_t end = std::min(address.find('.'), address.size()), kind = std::min(pattern.find('.'), pattern.size());
    if (pattern.substr(0, kind) == "switch") found = address.substr(0, end);
    address.remove_prefix(std::min(end + 1, address.size()));
    pattern.remove_prefix(std::min(kind + 1, pattern.size()));
  }
  return found;
}

}  // namespace headrace::capture
