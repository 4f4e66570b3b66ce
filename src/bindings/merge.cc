#include "bindings/merge.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "bindings/id_map.h"
#include "model/counters.h"
#include "model/file_record.h"

namespace headrace::bindings {
namespace {

using model::MergeKind;

// Logs of versions that had one layer do not name it.
std::string_view layer_of(const format::Column* column, uint64_t row) {
  const std::string_view name = column && column->type == format::Type::kText ? column->text(row) : std::string_view();
  return name.empty() ? "posix" : name;
}

// The group of each selected row, and the first row of each group.
struct MergeGroups {
  std::vector<uint32_t> of;     // parallel to the selected rows
  std::vector<uint32_t> first;  // row of the table
  bool identity = false;        // every row of the table is a group of its own
  uint64_t size() const { return first.size(); }
};

class MergedFiles {
 public:
  MergedFiles(const SharedTable& table, const Names& names) : table_(table), names_(names), rows_(table->rows) {
    for (const char* name : {"process", "record", "path", "final_path", "mount"}) {
      columns_.push_back(numbers(table, table->find(name), rows_));
    }
    kind_ = table->find("kind");
    layer_ = table->find("layer");
  }

  uint64_t rows() const { return rows_; }
  uint64_t process(uint64_t row) const { return columns_[0].words[row]; }
  uint64_t record(uint64_t row) const { return columns_[1].words[row]; }
  uint64_t path(uint64_t row) const { return columns_[2].words[row]; }
  uint64_t final_path(uint64_t row) const { return columns_[3].words[row]; }
  uint64_t mount(uint64_t row) const { return columns_[4].words[row]; }
  std::string_view kind(uint64_t row) const {
    return kind_ && kind_->type == format::Type::kText ? kind_->text(row) : std::string_view();
  }
  std::string_view layer(uint64_t row) const { return layer_of(layer_, row); }
  std::string_view directory(uint64_t row) const {
    const std::string_view path = names_.text(this->path(row));
    const size_t slash = path.rfind('/');
    if (kind(row) == "directory_rollup" || slash == std::string::npos) return path;
    return path.substr(0, slash == 0 ? 1 : slash);
  }
  Values counter(uint32_t index) const {
    Values values = numbers(table_, table_->find(model::kCounters[index].name), rows_);
    values.name = model::kCounters[index].name;
    return values;
  }

  // Paths that some of these rows use as directories; there, records that call them files are of directories too.
  void know_directories(const std::vector<uint32_t>& rows) {
    for (uint32_t row : rows) {
      if (kind(row) == "directory") directories_.insert(path(row), 0);
    }
  }
  std::string_view kind_of_path(uint64_t row) const {
    const std::string_view kind = this->kind(row);
    return kind == "file" && directories_.find(path(row)) != IdMap::kNone ? "directory" : kind;
  }

  uint64_t key(std::string_view by, uint64_t row) const {
    if (by == "path") return base::mix(path(row), base::hash_text(kind_of_path(row)));
    if (by == "process") return process(row);
    if (by == "directory") return base::hash_text(directory(row));
    if (by == "mount") return mount(row);
    if (by == "layer") return base::hash_text(layer(row));
    return by == "kind" ? base::hash_text(kind(row)) : 0;
  }

 private:
  const SharedTable& table_;
  const Names& names_;
  uint64_t rows_;
  std::vector<Values> columns_;
  const format::Column* kind_;
  const format::Column* layer_;
  IdMap directories_;
};

MergeGroups group(const MergedFiles& files, std::string_view by, const std::vector<uint32_t>& rows) {
  MergeGroups groups;
  groups.of.reserve(rows.size());
  IdMap map(rows.size());
  for (uint32_t row : rows) {
    const uint32_t found = map.insert(files.key(by, row), static_cast<uint32_t>(groups.size()));
    if (found == groups.size()) groups.first.push_back(row);
    groups.of.push_back(found);
  }
  groups.identity = groups.size() == files.rows() && rows.size() == files.rows();
  if (by == "all" && groups.first.empty()) {  // the sum of nothing is a row of zeros
    groups.first.push_back(0);
    groups.identity = false;
  }
  return groups;
}

// One counter merged: `decider` and `decided` are the counter of `with`, per row and merged.
std::vector<uint64_t> merge_counter(const Values& values, model::MergeRule rule, const std::vector<uint32_t>& rows,
                                    const MergeGroups& groups, const Values* decider,
                                    const std::vector<uint64_t>* decided) {
  std::vector<uint64_t> merged(groups.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint64_t value = values.words[rows[i]];
    uint64_t& into = merged[groups.of[i]];
    switch (rule.kind) {
      case MergeKind::kSum:
        into += value;
        break;
      case MergeKind::kMax:
      case MergeKind::kLast:
        into = std::max(into, value);
        break;
      case MergeKind::kFirst:
        into = into == 0 || value == 0 ? into | value : std::min(into, value);
        break;
      case MergeKind::kBits:
        into |= value;
        break;
      case MergeKind::kWith:
        if (decider->words[rows[i]] == (*decided)[groups.of[i]]) into = std::max(into, value);
        break;
    }
  }
  return merged;
}

// Distinct values of `id` in each group.
template <typename Id>
std::vector<uint64_t> distinct(const std::vector<uint32_t>& rows, const MergeGroups& groups, Id id) {
  if (groups.identity) return std::vector<uint64_t>(groups.size(), 1);
  std::vector<uint64_t> counts(groups.size());
  IdMap seen(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint32_t before = seen.size();
    seen.insert(base::mix(groups.of[i], id(rows[i])), 0);
    counts[groups.of[i]] += seen.size() - before;
  }
  return counts;
}

// Of each group the new name given by the record that was closed last; ties go to the greater id.
std::vector<uint64_t> final_paths(const MergedFiles& files, const std::vector<uint32_t>& rows,
                                  const MergeGroups& groups) {
  const Values closed = files.counter(model::counter::last_close_at_ns);
  std::vector<uint64_t> chosen(groups.size()), when(groups.size());
  for (size_t g = 0; g < groups.size(); ++g) chosen[g] = files.path(groups.first[g]);
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint32_t g = groups.of[i];
    const uint64_t path = files.path(rows[i]), name = files.final_path(rows[i]), at = closed.words[rows[i]];
    if (name == path || name == 0) continue;
    const bool first = chosen[g] == path;
    if (!first && (at < when[g] || (at == when[g] && name < chosen[g]))) continue;
    chosen[g] = name;
    when[g] = at;
  }
  return chosen;
}

// Of each group the layers of its records, in alphabetical order.
Values layers(const MergedFiles& files, const std::vector<uint32_t>& rows, const MergeGroups& groups) {
  std::vector<std::string_view> first(groups.size());
  std::map<uint32_t, std::set<std::string_view>> several;  // groups that have more than one: few
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint32_t g = groups.of[i];
    const std::string_view layer = files.layer(rows[i]);
    if (first[g].empty()) first[g] = layer;
    if (first[g] != layer) several[g].insert({first[g], layer});
  }
  TextBuilder builder;
  for (uint32_t g = 0; g < groups.size(); ++g) {
    const auto found = several.find(g);
    if (found == several.end()) {
      builder.add(first[g]);
      continue;
    }
    std::string joined;
    for (std::string_view layer : found->second) joined.append(joined.empty() ? "" : "+").append(layer);
    builder.add(joined);
  }
  return builder.finish("layers");
}

void add_keys(Frame& frame, std::string_view by, const MergedFiles& files, const Names& names,
              const std::vector<uint32_t>& rows, const MergeGroups& groups) {
  const auto words = [&](auto value) {
    std::vector<uint64_t> column;
    for (uint32_t row : groups.first) column.push_back(value(row));
    return column;
  };
  const auto texts = [&](std::string name, auto value) {
    TextBuilder builder;
    for (uint32_t row : groups.first) builder.add(value(row));
    return builder.finish(std::move(name));
  };
  const auto kind = [&](uint32_t row) { return files.kind(row); };
  if (by == "path") {
    const auto paths = words([&](uint32_t row) { return files.path(row); });
    const auto final = final_paths(files, rows, groups);
    frame.columns.push_back(names.resolve("path", number_values("path", paths)));
    frame.columns.push_back(paths == final ? frame.columns.back() : names.resolve("", number_values("", final)));
    frame.columns.back().name = "final_path";
    frame.columns.push_back(texts("kind", [&](uint32_t row) { return files.kind_of_path(row); }));
    frame.columns.push_back(number_values("mount", words([&](uint32_t row) { return files.mount(row); })));
    frame.columns.push_back(layers(files, rows, groups));
  } else if (by == "process") {
    frame.columns.push_back(number_values("process", words([&](uint32_t row) { return files.process(row); })));
  } else if (by == "directory") {
    frame.columns.push_back(texts("directory", [&](uint32_t row) { return files.directory(row); }));
  } else if (by == "mount") {
    frame.columns.push_back(number_values("mount", words([&](uint32_t row) { return files.mount(row); })));
  } else if (by == "kind") {
    frame.columns.push_back(texts("kind", kind));
  } else if (by == "layer") {
    frame.columns.push_back(texts("layer", [&](uint32_t row) { return files.layer(row); }));
  }
}

void add_counters(Frame& frame, const MergedFiles& files, const std::vector<uint32_t>& rows,
                  const MergeGroups& groups) {
  std::vector<std::vector<uint64_t>> merged(model::counter::kCount);
  // The deciding counters come before those they decide: counters.def names no later one.
  for (uint32_t index = 0; index < model::counter::kCount; ++index) {
    const model::MergeRule rule = model::kCounters[index].merge;
    const Values values = files.counter(index);
    if (values.zero || groups.identity) continue;
    const bool with = rule.kind == MergeKind::kWith;
    const Values decider = with ? files.counter(rule.with) : Values();
    if (with && merged[rule.with].empty()) merged[rule.with].resize(groups.size());
    merged[index] =
        merge_counter(values, rule, rows, groups, with ? &decider : nullptr, with ? &merged[rule.with] : nullptr);
  }
  for (uint32_t index = 0; index < model::counter::kCount; ++index) {
    Values values = files.counter(index);
    if (values.zero) values = zero_values(values.name, groups.size());
    if (!merged[index].empty()) values = number_values(values.name, std::move(merged[index]));
    frame.columns.push_back(std::move(values));
  }
}

// Every call that neither reads nor writes and that succeeded.
std::vector<uint64_t> metadata_calls(const Frame& counters) {
  std::vector<uint64_t> sums(counters.rows);
  for (model::counter::Index index : model::kMetadataCalls) {
    const Values* values = counters.find(model::kCounters[index].name);
    if (values->zero) continue;
    for (uint64_t row = 0; row < counters.rows; ++row) sums[row] += values->words[row];
  }
  return sums;
}

// Adds up a column that only tables have in which shares stand for records (sharing.h).
void add_more(std::vector<uint64_t>& sums, const SharedTable& table, const char* name,
              const std::vector<uint32_t>& rows, const MergeGroups& groups) {
  const format::Column* column = table->find(name);
  if (!column || column->type == format::Type::kText) return;
  for (size_t i = 0; i < rows.size(); ++i) sums[groups.of[i]] += column->u64(rows[i]);
}

// Of each group the distinct paths of one kind, and files without a path that its rows are about.
std::vector<uint64_t> of_kind(const SharedTable& table, const MergedFiles& files, const std::vector<uint32_t>& rows,
                              const MergeGroups& groups, std::string_view kind, const IdMap& but) {
  const format::Column* more = table->find("more_files");
  std::vector<uint64_t> counts(groups.size());
  IdMap seen;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (files.kind(rows[i]) != kind) continue;
    if (more) counts[groups.of[i]] += more->u64(rows[i]);
    const uint64_t id = base::mix(groups.of[i], files.path(rows[i]));
    const uint32_t before = seen.size();
    if ((more && files.path(rows[i]) == 0) || but.find(id) != IdMap::kNone) continue;
    seen.insert(id, 0);
    counts[groups.of[i]] += seen.size() - before;
  }
  return counts;
}

// What the paths of each group are: files, directories, and sums of small files.
void add_kinds(Frame& frame, const SharedTable& table, const MergedFiles& files, const std::vector<uint32_t>& rows,
               const MergeGroups& groups) {
  IdMap directories;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (files.kind(rows[i]) == "directory") directories.insert(base::mix(groups.of[i], files.path(rows[i])), 0);
  }
  const auto add = [&](const char* name, std::string_view kind, const IdMap& but) {
    frame.columns.push_back(number_values(name, of_kind(table, files, rows, groups, kind, but)));
  };
  add("plain_files", "file", directories);
  add("directories", "directory", IdMap());
  add("rollups", "directory_rollup", IdMap());
}

// Distinct paths, and files without one that rows are about.
std::vector<uint64_t> file_counts(const SharedTable& table, const MergedFiles& files, const std::vector<uint32_t>& rows,
                                  const MergeGroups& groups) {
  std::vector<uint64_t> counts = distinct(rows, groups, [&](uint32_t row) { return files.path(row); });
  const std::vector<uint64_t> no_files = of_kind(table, files, rows, groups, "no_file", IdMap());
  if (table->find("more_files")) {
    IdMap nameless;  // groups in which "no path" is not one more
    for (size_t i = 0; i < rows.size(); ++i) {
      if (files.path(rows[i]) == 0) nameless.insert(groups.of[i], 0);
    }
    for (uint32_t group = 0; group < counts.size(); ++group) counts[group] -= nameless.find(group) != IdMap::kNone;
    add_more(counts, table, "more_files", rows, groups);
  }
  for (size_t group = 0; group < counts.size(); ++group) counts[group] -= no_files[group];
  return counts;
}

// Counting sort of the records by group.
void add_records(Frame& frame, const MergedFiles& files, const std::vector<uint32_t>& rows, const MergeGroups& groups) {
  frame.record_starts.assign(groups.size() + 1, 0);
  for (uint32_t g : groups.of) ++frame.record_starts[g + 1];
  std::partial_sum(frame.record_starts.begin(), frame.record_starts.end(), frame.record_starts.begin());
  std::vector<uint64_t> next = frame.record_starts;
  frame.records.resize(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) frame.records[next[groups.of[i]]++] = files.record(rows[i]);
}

}  // namespace

std::vector<uint32_t> select(const format::Table& files, const Selection& selection) {
  const format::Column* process = files.find("process");
  const format::Column* kind = files.find("kind");
  if (process && process->type == format::Type::kText) process = nullptr;
  if (kind && kind->type != format::Type::kText) kind = nullptr;
  const format::Column* layer = files.find("layer");
  const format::Column* path = files.find("path");
  if (path && path->type == format::Type::kText) path = nullptr;
  const auto contains = [](const std::vector<std::string>& words, std::string_view word) {
    return words.empty() || std::find(words.begin(), words.end(), word) != words.end();
  };
  IdMap wanted;
  for (uint64_t id : selection.processes) wanted.insert(id, 0);
  std::vector<uint32_t> rows;
  rows.reserve(files.rows);
  for (uint64_t row = 0; row < files.rows; ++row) {
    if (!selection.processes.empty() && wanted.find(process ? process->u64(row) : 0) == IdMap::kNone) continue;
    if (!contains(selection.kinds, kind ? kind->text(row) : std::string_view())) continue;
    if (!contains(selection.layers, layer_of(layer, row))) continue;
    if (!selection.takes(path ? path->u64(row) : 0)) continue;
    rows.push_back(static_cast<uint32_t>(row));
  }
  return rows;
}

base::Result<Frame> merge_files(const SharedTable& table, const Names& names, std::string_view by,
                                const Selection& selection) {
  static constexpr std::string_view kKeys[] = {"path", "process", "directory", "mount", "kind", "layer", "all"};
  if (std::find(std::begin(kKeys), std::end(kKeys), by) == std::end(kKeys)) {
    return base::Status(base::Code::kInvalid, "files cannot be merged by '" + std::string(by) +
                                                  "': choose path, process, directory, mount, kind, layer or all");
  }
  MergedFiles files(table, names);
  const std::vector<uint32_t> rows = select(*table, selection);
  if (by == "path") files.know_directories(rows);
  const MergeGroups groups = group(files, by, rows);
  Frame frame{.name = "", .rows = groups.size()};
  add_keys(frame, by, files, names, rows, groups);
  const auto process = [&](uint32_t row) { return files.process(row); };
  frame.columns.push_back(number_values("files", file_counts(table, files, rows, groups)));
  add_kinds(frame, table, files, rows, groups);
  frame.columns.push_back(number_values("processes", distinct(rows, groups, process)));
  const auto place = static_cast<std::ptrdiff_t>(frame.columns.size());
  add_counters(frame, files, rows, groups);
  std::vector<uint64_t> calls = metadata_calls(frame);
  add_more(calls, table, "more_calls", rows, groups);
  frame.columns.insert(frame.columns.begin() + place, number_values("metadata_calls", std::move(calls)));
  add_records(frame, files, rows, groups);
  return frame;
}

base::Result<std::vector<uint64_t>> top(const Frame& frame, std::string_view sort, uint64_t limit) {
  std::vector<std::string_view> terms;
  if (sort == "time") {
    terms = {"read_ns", "write_ns", "meta_ns"};
  } else if (sort == "bytes") {
    terms = {"bytes_read", "bytes_written"};
  } else if (sort == "calls") {
    terms = {"reads", "writes", "metadata_calls"};
  } else if (sort != "path") {
    return base::Status(base::Code::kInvalid,
                        "files cannot be sorted by '" + std::string(sort) + "': choose time, bytes, calls or path");
  }
  std::vector<uint64_t> rows(frame.rows);
  std::iota(rows.begin(), rows.end(), 0);
  limit = std::min(limit, frame.rows);
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(limit);
  if (sort == "path" && !frame.columns.empty() && frame.columns[0].kind == Kind::kText) {
    const Values& keys = frame.columns[0];
    std::partial_sort(rows.begin(), middle, rows.end(), [&](uint64_t a, uint64_t b) {
      const auto left = keys.text(a), right = keys.text(b);
      return left == right ? a < b : left < right;
    });
  } else {
    std::vector<uint64_t> weight(frame.rows);
    for (std::string_view term : terms) {
      const Values* values = frame.find(term);
      for (uint64_t row = 0; values && row < frame.rows; ++row) weight[row] += values->words[row];
    }
    std::partial_sort(rows.begin(), middle, rows.end(),
                      [&](uint64_t a, uint64_t b) { return weight[a] == weight[b] ? a < b : weight[a] > weight[b]; });
  }
  rows.resize(limit);
  return rows;
}

}  // namespace headrace::bindings
