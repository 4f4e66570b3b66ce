#include "bindings/folded_files.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash.h"
#include "bindings/id_map.h"
#include "model/distinct_names.h"

namespace headrace::bindings {
namespace {

using model::DistinctNames;

constexpr char kFolded[] = "folded_files", kCertainty[] = "folded_certainty";
// Sums that lie so near the estimate are better than that: three of its standard errors.
constexpr double kNear = 0.07;

std::string_view text_at(const format::Column* column, uint64_t row) {
  return column && column->type == format::Type::kText ? column->text(row) : std::string_view();
}

// The rows of `properties` that say what a record folded, by record.
using Sketches = std::unordered_map<uint64_t, std::vector<uint64_t>>;

Sketches sketches_in(const SharedTable& properties) {
  const format::Column* key = properties->find("key");
  const Values records = numbers(properties, properties->find("record"), properties->rows);
  Sketches found;
  for (uint64_t row = 0; row < properties->rows; ++row)
    if (text_at(key, row) == DistinctNames::kKey) found[records.words[row]].push_back(row);
  return found;
}

// The first row of each record; there are several where a log was collected in parts.
IdMap first_rows(const Values& records, std::vector<uint32_t>& first) {
  IdMap places(records.rows);
  for (uint64_t row = 0; row < records.rows; ++row) {
    if (places.insert(records.words[row], static_cast<uint32_t>(first.size())) == first.size())
      first.push_back(static_cast<uint32_t>(row));
  }
  return places;
}

class FoldedFiles {
 public:
  FoldedFiles(const SharedTable& merged, const SharedTable& files, const SharedTable& properties)
      : sketches_(sketches_in(properties)),
        sketch_(properties->find("value")),
        rows_(first_rows(numbers(merged, merged->find("record"), merged->rows), first_)),
        rows_in_log_(first_rows(numbers(files, files->find("record"), files->rows), first_in_log_)),
        process_(numbers(merged, merged->find("process"), merged->rows)),
        path_(numbers(merged, merged->find("path"), merged->rows)),
        name_(numbers(files, files->find("path"), files->rows)),
        kind_(merged->find("kind")),
        folded_(first_.size()) {
    const Values record = numbers(merged, merged->find("record"), merged->rows);
    const Values folded = numbers(merged, merged->find(kFolded), merged->rows);
    for (uint64_t row = 0; row < merged->rows; ++row) folded_[rows_.find(record.words[row])] += folded.words[row];
  }

  struct Count {
    uint64_t files;
    Certainty certainty;
  };

  // The files behind some records besides their own `plain`; `total` is what the records say.
  Count count(const uint64_t* begin, const uint64_t* end, uint64_t total, uint64_t plain) const {
    uint64_t sum = 0;
    bool are_anonymous = false;
    IdMap seen, others;  // records, and processes of records without a sketch
    std::string all(DistinctNames::kSlots, DistinctNames::kEmpty);
    for (const uint64_t* record = begin; record != end; ++record) {
      const uint32_t at = rows_.find(*record), before = seen.size();
      if (at == IdMap::kNone || folded_[at] == 0) continue;
      if (seen.insert(*record, 0); seen.size() == before) continue;
      const auto sketch = sketches_.find(*record);
      if (sketch != sketches_.end() && unite(all, sketch->second)) {
        sum += folded_[at];
      } else {
        others.insert(process_.words[first_[at]], 0);
        are_anonymous = are_anonymous || sketch != sketches_.end();
      }
    }
    Count found = sum == 0 ? Count{0, Certainty::kCounted} : different(all, begin, end, sum, plain);
    found.files += total - std::min(sum, total);
    if (others.size() > 1 || are_anonymous || (sum != 0 && others.size() != 0)) found.certainty = Certainty::kAtMost;
    return found;
  }

 private:
  // Whether one of them is a sketch, which anonymous logs have not.
  bool unite(std::string& all, const std::vector<uint64_t>& rows) const {
    bool known = false;
    for (const uint64_t row : rows) known = DistinctNames::unite(all.data(), text_at(sketch_, row)) || known;
    return known;
  }

  // Of `sum` files that were folded, perhaps several times, those that have no rows of their own besides.
  Count different(std::string& all, const uint64_t* begin, const uint64_t* end, uint64_t sum, uint64_t plain) const {
    const auto near = [](double estimate, uint64_t count) {
      return std::abs(estimate - static_cast<double>(count)) <= kNear * static_cast<double>(count);
    };
    const double folded = DistinctNames::estimate(all);
    uint64_t files = near(folded, sum) ? sum : std::min(sum, static_cast<uint64_t>(std::llround(folded)));
    if (plain != 0) {
      add_files(all, begin, end);
      const double in_all = DistinctNames::estimate(all);
      const double besides = std::max(0.0, in_all - static_cast<double>(plain));
      if (!near(in_all, files + plain)) files = std::min(files, static_cast<uint64_t>(std::llround(besides)));
    }
    return {files, Certainty::kEstimated};
  }

  // Files that have rows of their own, with the ids that the recorder gives to folded ones.
  void add_files(std::string& all, const uint64_t* begin, const uint64_t* end) const {
    IdMap seen;
    std::unordered_map<uint64_t, uint64_t> of_name;
    for (const uint64_t* record = begin; record != end; ++record) {
      const uint32_t at = rows_.find(*record), at_in_log = rows_in_log_.find(*record);
      if (at == IdMap::kNone || at_in_log == IdMap::kNone || text_at(kind_, first_[at]) != "file") continue;
      const uint32_t before = seen.size();
      seen.insert(path_.words[first_[at]], 0);
      if (seen.size() == before) continue;
      const uint64_t name = name_.words[first_in_log_[at_in_log]];
      DistinctNames::add(all.data(), base::mix(name, ++of_name[name]));
    }
  }

  const Sketches sketches_;
  const format::Column* sketch_;
  std::vector<uint32_t> first_, first_in_log_;
  const IdMap rows_, rows_in_log_;
  const Values process_, path_, name_;
  const format::Column* kind_;
  std::vector<uint64_t> folded_;  // by place of the record
};

}  // namespace

void count_folded_once(Frame& frame, const SharedTable& merged, const SharedTable& files,
                       const SharedTable& properties) {
  frame.columns.push_back(zero_values(kCertainty, frame.rows));
  const auto column = std::find_if(frame.columns.begin(), frame.columns.end(),
                                   [](const Values& values) { return values.name == kFolded; });
  if (column == frame.columns.end() || column->zero || frame.record_starts.size() != frame.rows + 1) return;
  std::vector<uint64_t> counts(column->words.get(), column->words.get() + frame.rows);
  if (std::all_of(counts.begin(), counts.end(), [](uint64_t count) { return count == 0; })) return;
  const FoldedFiles folded(merged, files, properties);
  std::vector<uint64_t> certainty(frame.rows);
  for (uint64_t row = 0; row < frame.rows; ++row) {
    if (counts[row] == 0) continue;
    const uint64_t* records = frame.records.data();
    const auto found = folded.count(records + frame.record_starts[row], records + frame.record_starts[row + 1],
                                    counts[row], frame.number("plain_files", row));
    counts[row] = found.files;
    certainty[row] = static_cast<uint64_t>(found.certainty);
  }
  *column = number_values(kFolded, std::move(counts));
  frame.columns.back() = number_values(kCertainty, std::move(certainty));
}

}  // namespace headrace::bindings
