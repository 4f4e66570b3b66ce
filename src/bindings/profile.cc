#include "bindings/profile.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "bindings/id_map.h"

namespace headrace::bindings {
namespace {

// Rows of a table and the group that each is added to.
struct Groups {
  std::vector<uint64_t> rows, of;
  uint32_t count = 0;
};

void add_sums(Frame& frame, const SharedTable& table, const Groups& groups) {
  static constexpr std::array kSums = {"calls", "errors", "bytes", "time_ns", "own_ns"};
  frame.rows = groups.count;
  const auto merged = [&](const char* name, auto merge) {
    const Values values = numbers(table, table->find(name), table->rows);
    std::vector<uint64_t> words(groups.count);
    for (uint64_t i = 0; i < groups.rows.size(); ++i) {
      words[groups.of[i]] = merge(words[groups.of[i]], values.words[groups.rows[i]]);
    }
    frame.columns.push_back(number_values(name, std::move(words)));
  };
  for (const char* name : kSums) merged(name, [](uint64_t a, uint64_t b) { return a + b; });
  merged("max_ns", [](uint64_t a, uint64_t b) { return std::max(a, b); });
}

}  // namespace

Frame merge_profiles(const SharedTable& table, const std::vector<uint64_t>& processes) {
  const format::Column *column = text_column(table, "function"), *layer = text_column(table, "layer");
  Frame frame;
  if (!column) return frame;
  const Values names = text_values(table, *column, false);
  const Values owners = numbers(table, table->find("process"), table->rows);
  IdMap known, wanted;
  for (uint64_t process : processes) wanted.insert(process, 0);
  Groups groups;
  TextBuilder functions, layers;
  for (uint64_t row = 0; row < table->rows; ++row) {
    if (!processes.empty() && wanted.find(owners.words[row]) == IdMap::kNone) continue;
    const std::string_view in = layer ? layer->text(row) : std::string_view();
    groups.rows.push_back(row);
    groups.of.push_back(known.insert(base::mix(base::hash_text(names.text(row)), base::hash_text(in)), known.size()));
    if (known.size() == groups.count) continue;
    groups.count = known.size();
    functions.add_valid(names.text(row));
    layers.add(in);
  }
  frame.columns.push_back(functions.finish("function"));
  frame.columns.push_back(layers.finish("layer"));
  add_sums(frame, table, groups);
  return frame;
}

Frame profiles_by_process(const SharedTable& table) {
  const format::Column* layer = text_column(table, "layer");
  const Values owners = numbers(table, table->find("process"), table->rows);
  IdMap known;
  Groups groups;
  std::vector<uint64_t> processes;
  TextBuilder layers;
  for (uint64_t row = 0; row < table->rows; ++row) {
    const std::string_view in = layer ? layer->text(row) : std::string_view();
    groups.rows.push_back(row);
    groups.of.push_back(known.insert(base::mix(owners.words[row], base::hash_text(in)), known.size()));
    if (known.size() == groups.count) continue;
    groups.count = known.size();
    processes.push_back(owners.words[row]);
    layers.add(in);
  }
  Frame frame;
  frame.columns.push_back(number_values("process", std::move(processes)));
  frame.columns.push_back(layers.finish("layer"));
  add_sums(frame, table, groups);
  return frame;
}

}  // namespace headrace::bindings
