#include "workload/plan/psets.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <unordered_map>

namespace headrace::workload {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr uint32_t kNone = UINT32_MAX;

struct Range {
  uint64_t first = 0, last = 0;
};

/// "7" or "0-63".
bool read_range(const std::string& text, Range* range) {
  const char* end = text.data() + text.size();
  auto [next, error] = std::from_chars(text.data(), end, range->first);
  if (error != std::errc()) return false;
  range->last = range->first;
  if (next == end) return true;
  if (*next != '-') return false;
  const auto [last, second] = std::from_chars(next + 1, end, range->last);
  return second == std::errc() && last == end && range->first <= range->last;
}

}  // namespace

Result<Psets> read_psets(const std::string& text, int ranks) {
  Psets psets;
  psets.node.assign(static_cast<size_t>(ranks), kNone);
  std::unordered_map<std::string, uint32_t> numbers;
  std::istringstream lines(text);
  std::string line;
  for (uint64_t number = 1; std::getline(lines, line); ++number) {
    const auto refuse = [&](const std::string& why) {
      return Status(Code::kInvalid, "--psets: line " + std::to_string(number) + " " + why);
    };
    std::istringstream words(line.substr(0, line.find('#')));
    std::string which, name, more;
    if (!(words >> which)) continue;
    Range range;
    if (!read_range(which, &range) || !(words >> name) || (words >> more))
      return refuse("is neither 'RANK NODE' nor 'FIRST-LAST NODE'");
    const auto [found, added] = numbers.emplace(name, static_cast<uint32_t>(psets.names.size()));
    if (added) psets.names.push_back(name);
    for (uint64_t rank = range.first; rank <= range.last && rank < psets.node.size(); ++rank) {
      if (psets.node[rank] != kNone) return refuse("names rank " + std::to_string(rank) + " once more");
      psets.node[rank] = found->second;
    }
  }
  const auto without = std::find(psets.node.begin(), psets.node.end(), kNone);
  if (without == psets.node.end()) return psets;
  return Status(Code::kInvalid,
                "--psets: rank " + std::to_string(without - psets.node.begin()) + " has no I/O node there");
}

}  // namespace headrace::workload
