#include "bindings/match.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/hash.h"
#include "bindings/id_map.h"

namespace headrace::bindings {
namespace {

using base::Code;
using base::Status;

constexpr uint64_t kBelow = 0x62656c6f77;  // tells the key of a name below a directory from that of a whole path

// What a run's rows are called.
class Keys {
 public:
  explicit Keys(const Run& run) : prefix_(run.directory.size() > 1 ? run.directory + "/" : "") {
    path_ = run.frame->columns.empty() ? nullptr : &run.frame->columns[0];
    kind_ = run.frame->find("kind");
  }
  bool usable() const { return path_ && path_->kind == Kind::kText; }
  std::string_view path(uint64_t row) const { return path_->text(row); }
  std::string_view kind(uint64_t row) const { return kind_ ? kind_->text(row) : std::string_view(); }
  uint64_t whole(uint64_t row) const { return key(path(row), row); }
  /// 0: the row is neither the run's directory nor below it.
  uint64_t below(uint64_t row) const {
    const std::string_view path = this->path(row);
    if (prefix_.empty()) return 0;
    if (path == std::string_view(prefix_).substr(0, prefix_.size() - 1)) return base::mix(kBelow, key("", row));
    if (!path.starts_with(prefix_)) return 0;
    return base::mix(kBelow, key(path.substr(prefix_.size()), row));
  }

 private:
  uint64_t key(std::string_view text, uint64_t row) const {
    return base::mix(base::hash_text(text), base::hash_text(kind(row)));
  }
  std::string prefix_;
  const Values* path_;
  const Values* kind_;
};

class Matcher {
 public:
  explicit Matcher(const std::vector<Run>& runs) {
    for (const Run& run : runs) keys_.emplace_back(run);
  }

  Status match(const std::vector<Run>& runs) {
    for (uint32_t r = 0; r < runs.size(); ++r) {
      rows_.emplace_back(size(), -1);
      below_.emplace_back(size(), false);
      std::vector<uint64_t> left;
      for (uint64_t row = 0; row < runs[r].frame->rows; ++row) {
        if (!take(r, row, by_path_.find(keys_[r].whole(row)), false)) left.push_back(row);
      }
      // After all paths of the run, so that a name below a directory never takes what another path has.
      for (const uint64_t row : left) {
        const uint64_t below = keys_[r].below(row);
        if (below != 0 && take(r, row, by_place_.find(below), true)) continue;
        if (size() + 1 >= IdMap::kNone) return {Code::kLimit, "more files than can be compared (4294967294)"};
        add(r, row, below);
      }
    }
    return {};
  }

  uint64_t size() const { return first_.size(); }
  /// Rows of run `run`, -1 for the files that it lacks.
  const std::vector<int64_t>& rows(uint32_t run) const { return rows_[run]; }
  std::string_view path(uint64_t file) const { return keys_[first_[file].run].path(first_[file].row); }
  std::string_view kind(uint64_t file) const { return keys_[first_[file].run].kind(first_[file].row); }
  /// Of run `run`: whether it has the file by its place below the run's directory.
  const std::vector<uint8_t>& below(uint32_t run) const { return below_[run]; }

 private:
  struct Place {
    uint32_t run;
    uint64_t row;
  };

  bool take(uint32_t run, uint64_t row, uint32_t file, bool below) {
    if (file == IdMap::kNone || rows_[run][file] >= 0) return false;
    rows_[run][file] = static_cast<int64_t>(row);
    below_[run][file] = below;
    return true;
  }

  void add(uint32_t run, uint64_t row, uint64_t below) {
    const auto file = static_cast<uint32_t>(size());
    by_path_.insert(keys_[run].whole(row), file);
    if (below != 0) by_place_.insert(below, file);
    first_.push_back({run, row});
    for (std::vector<int64_t>& rows : rows_) rows.push_back(-1);
    for (std::vector<uint8_t>& flags : below_) flags.push_back(false);
    rows_[run].back() = static_cast<int64_t>(row);
  }

  std::vector<Keys> keys_;
  IdMap by_path_, by_place_;
  std::vector<Place> first_;
  std::vector<std::vector<int64_t>> rows_;
  std::vector<std::vector<uint8_t>> below_;
};

struct Term {
  const char* name;
  std::vector<const char*> counters;  // their sum
};

const std::vector<Term>& terms() {
  static const std::vector<Term> list = {
      {"time_ns", {"read_ns", "write_ns", "meta_ns"}},
      {"read_ns", {"read_ns"}},
      {"write_ns", {"write_ns"}},
      {"meta_ns", {"meta_ns"}},
      {"bytes", {"bytes_read", "bytes_written"}},
      {"bytes_read", {"bytes_read"}},
      {"bytes_written", {"bytes_written"}},
      {"calls", {"reads", "writes", "metadata_calls"}},
      {"reads", {"reads"}},
      {"writes", {"writes"}},
      {"metadata_calls", {"metadata_calls"}},
      {"opens", {"opens"}},
  };
  return list;
}

class Sides {
 public:
  Sides(const std::vector<Run>& runs, const Matcher& matcher) : runs_(runs), matcher_(matcher) {
    for (const Run& run : runs) sizes_.resize(std::max<size_t>(sizes_.size(), run.side + 1));
    for (const Run& run : runs) ++sizes_[run.side];
  }

  uint32_t count() const { return static_cast<uint32_t>(sizes_.size()); }

  Values present(uint32_t side) const {
    std::vector<uint64_t> counts(matcher_.size());
    each_run(side, [&](uint32_t run) {
      for (size_t file = 0; file < counts.size(); ++file) counts[file] += matcher_.rows(run)[file] >= 0;
    });
    return number_values("present_" + std::to_string(side), std::move(counts));
  }

  Values below(uint32_t side) const {
    std::vector<uint64_t> counts(matcher_.size());
    each_run(side, [&](uint32_t run) {
      for (size_t file = 0; file < counts.size(); ++file) counts[file] += matcher_.below(run)[file];
    });
    return number_values("below_" + std::to_string(side), std::move(counts));
  }

  Values mean(const Term& term, uint32_t side) const {
    std::vector<double> sums(matcher_.size());
    each_run(side, [&](uint32_t run) {
      const std::vector<int64_t>& rows = matcher_.rows(run);
      for (const char* counter : term.counters) {
        const Values* values = runs_[run].frame->find(counter);
        for (size_t file = 0; values && !values->zero && file < rows.size(); ++file) {
          if (rows[file] >= 0) sums[file] += static_cast<double>(static_cast<int64_t>(values->words[rows[file]]));
        }
      }
    });
    std::vector<uint64_t> words(sums.size());
    for (size_t file = 0; file < sums.size(); ++file) {
      words[file] = std::bit_cast<uint64_t>(sums[file] / static_cast<double>(sizes_[side]));
    }
    return number_values(std::string(term.name) + "_" + std::to_string(side), std::move(words), Kind::kF64);
  }

 private:
  template <typename Each>
  void each_run(uint32_t side, Each each) const {
    for (uint32_t r = 0; r < runs_.size(); ++r) {
      if (runs_[r].side == side) each(r);
    }
  }

  const std::vector<Run>& runs_;
  const Matcher& matcher_;
  std::vector<uint32_t> sizes_;  // runs of each side
};

Values matched_words(uint64_t files, const std::vector<Values>& present, const std::vector<Values>& below) {
  TextBuilder builder;
  for (uint64_t file = 0; file < files; ++file) {
    const auto has = [&](const Values& counts) { return counts.words[file] != 0; };
    const bool shared = std::count_if(present.begin(), present.end(), has) > 1;
    builder.add_valid(!shared ? "" : std::any_of(below.begin(), below.end(), has) ? "directory" : "path");
  }
  return builder.finish("matched");
}

// Of each row the greatest difference of any side from side 0, without its sign.
std::vector<double> greatest_changes(const Frame& matched, std::string_view term, uint32_t sides) {
  std::vector<double> greatest(matched.rows);
  const auto of = [&](uint32_t side) { return matched.find(std::string(term) + "_" + std::to_string(side)); };
  const Values* base = of(0);
  for (uint32_t side = 1; base && side < sides; ++side) {
    const Values* other = of(side);
    for (uint64_t row = 0; other && row < matched.rows; ++row) {
      const double change = std::bit_cast<double>(other->words[row]) - std::bit_cast<double>(base->words[row]);
      greatest[row] = std::max(greatest[row], std::abs(change));
    }
  }
  return greatest;
}

}  // namespace

base::Result<Frame> match_files(const std::vector<Run>& runs) {
  Matcher matcher(runs);
  for (const Run& run : runs) {
    if (!Keys(run).usable()) return Status(Code::kInvalid, "files are compared by path or directory only");
  }
  if (runs.empty()) return Status(Code::kInvalid, "no runs to compare");
  HEADRACE_TRY(matcher.match(runs));
  Frame frame{.name = "", .rows = matcher.size()};
  TextBuilder paths, kinds;
  for (uint64_t file = 0; file < matcher.size(); ++file) {
    paths.add_valid(matcher.path(file));
    kinds.add_valid(matcher.kind(file));
  }
  const Sides sides(runs, matcher);
  std::vector<Values> present, below;
  for (uint32_t side = 0; side < sides.count(); ++side) {
    present.push_back(sides.present(side));
    below.push_back(sides.below(side));
  }
  frame.columns = {paths.finish("path"), kinds.finish("kind"), matched_words(matcher.size(), present, below)};
  for (uint32_t r = 0; r < runs.size(); ++r) {
    std::vector<uint64_t> rows(matcher.rows(r).begin(), matcher.rows(r).end());
    frame.columns.push_back(number_values("row_" + std::to_string(r), std::move(rows), Kind::kI64));
  }
  for (Values& counts : present) frame.columns.push_back(std::move(counts));
  for (Values& counts : below) frame.columns.push_back(std::move(counts));
  for (uint32_t side = 0; side < sides.count(); ++side) {
    for (const Term& term : terms()) frame.columns.push_back(sides.mean(term, side));
  }
  return frame;
}

std::vector<uint64_t> most_changed(const Frame& matched, std::string_view term, uint32_t sides, uint64_t limit) {
  std::vector<uint64_t> rows(matched.rows);
  std::iota(rows.begin(), rows.end(), 0);
  if (term == "path") {
    const Values& paths = matched.columns[0];
    const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::min(limit, matched.rows));
    std::partial_sort(rows.begin(), end, rows.end(), [&](uint64_t a, uint64_t b) {
      const auto left = paths.text(a), right = paths.text(b);
      return left == right ? a < b : left < right;
    });
    rows.erase(end, rows.end());
    return rows;
  }
  const std::vector<double> weight = greatest_changes(matched, term, sides);
  std::vector<uint8_t> moved(matched.rows);
  for (const char* each : {"time_ns", "bytes", "calls"}) {
    const std::vector<double> changes = greatest_changes(matched, each, sides);
    for (uint64_t row = 0; row < matched.rows; ++row) moved[row] |= changes[row] != 0;
  }
  std::erase_if(rows, [&](uint64_t row) { return !moved[row]; });
  const auto end = rows.begin() + static_cast<std::ptrdiff_t>(std::min<uint64_t>(limit, rows.size()));
  std::partial_sort(rows.begin(), end, rows.end(),
                    [&](uint64_t a, uint64_t b) { return weight[a] == weight[b] ? a < b : weight[a] > weight[b]; });
  rows.erase(end, rows.end());
  return rows;
}

MatchCounts match_counts(const Frame& matched, uint32_t side) {
  const auto of = [&](const char* name, uint32_t s) { return matched.find(name + std::to_string(s)); };
  const Values *base_below = of("below_", 0), *below = of("below_", side);
  const Values *base = of("present_", 0), *other = of("present_", side);
  const Values *base_time = of("time_ns_", 0), *other_time = of("time_ns_", side);
  MatchCounts counts;
  if (!base_below || !below || !base || !other || !base_time || !other_time) return counts;
  for (uint64_t row = 0; row < matched.rows; ++row) {
    const bool in_base = base->words[row] != 0, in_side = other->words[row] != 0;
    const double before = std::bit_cast<double>(base_time->words[row]);
    const double after = std::bit_cast<double>(other_time->words[row]);
    counts.moved_ns += std::abs(after - before);
    if (in_base && in_side) {
      ++(base_below->words[row] + below->words[row] != 0 ? counts.by_directory : counts.by_path);
    } else if (in_base) {
      ++counts.only_in_base;
      counts.time_ns_only_in_base += before;
    } else if (in_side) {
      ++counts.only_in_side;
      counts.time_ns_only_in_side += after;
    }
  }
  return counts;
}

}  // namespace headrace::bindings
