#include "bindings/ranks.h"

#include <algorithm>
#include <charconv>

#include "base/hash.h"

namespace headrace::bindings {
namespace {

constexpr int64_t kGreatest = int64_t{1} << 40;  // so that counts of them fit, whatever a damaged log says

}  // namespace

Ranks::Ranks(const SharedTable& table) {
  const auto column = [&](const char* name) { return numbers(table, table->find(name), table->rows); };
  const Values ids = column("process"), ranks = column("rank"), sizes = column("ranks"), runs = column("instance");
  if (ranks.zero && !table->find("rank")) return;  // a log without the column has no ranks at all
  IdMap known, programs;
  std::vector<uint64_t> seen;
  for (uint64_t row = 0; row < table->rows; ++row) {
    const auto number = static_cast<int64_t>(ranks.words[row]);
    const bool stands = number < 0 && sizes.words[row] > 0;
    if (number < 0 && !stands) continue;
    const uint32_t program = programs.insert(runs.words[row], programs.size());
    if (program == worlds.size()) {
      worlds.push_back(0);
      seen.push_back(0);
    }
    worlds[program] = std::max(worlds[program], sizes.words[row]);
    if (stands) {
      standing.insert(ids.words[row], program);
      continue;
    }
    const uint32_t next = known.size();
    const uint32_t rank = known.insert(base::mix(runs.words[row], ranks.words[row]), next);
    if (rank == next) {
      all.push_back({number, program, ids.words[row]});
      of_number_.insert(base::mix(program, ranks.words[row]), rank);
      ++seen[program];
    }
    of_process.insert(ids.words[row], rank);
  }
  for (size_t i = 0; i < worlds.size(); ++i) worlds[i] = std::max(worlds[i], seen[i]);
}

uint32_t Ranks::find(uint32_t program, int64_t number) const {
  return of_number_.find(base::mix(program, static_cast<uint64_t>(number)));
}

bool RankSet::add(std::string_view who) {
  const char *at = who.data(), *const end = who.data() + who.size();
  while (at != end) {
    int64_t first = 0;
    auto [next, error] = std::from_chars(at, end, first);
    if (error != std::errc() || first < 0 || first > kGreatest) return false;
    int64_t last = first;
    if (next != end && *next == '-') {
      const auto range = std::from_chars(next + 1, end, last);
      if (range.ec != std::errc() || last < first || last > kGreatest) return false;
      next = range.ptr;
    }
    add(first, last);
    if (next != end && *next != ',') return false;
    at = next == end ? end : next + 1;
  }
  return !who.empty();
}

void RankSet::sort() {
  std::sort(ranges_.begin(), ranges_.end());
  size_t kept = 0;
  for (size_t i = 1; i < ranges_.size(); ++i) {
    if (ranges_[i].first <= ranges_[kept].second + 1) {
      ranges_[kept].second = std::max(ranges_[kept].second, ranges_[i].second);
    } else {
      ranges_[++kept] = ranges_[i];
    }
  }
  if (!ranges_.empty()) ranges_.resize(kept + 1);
}

uint64_t RankSet::count() const {
  uint64_t count = 0;
  for (const auto& [first, last] : ranges_) count += static_cast<uint64_t>(last - first) + 1;
  return count;
}

bool RankSet::contains(int64_t rank) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), std::pair(rank, INT64_MAX));
  return after != ranges_.begin() && std::prev(after)->second >= rank;
}

}  // namespace headrace::bindings
