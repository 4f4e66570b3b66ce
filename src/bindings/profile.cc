#include "bindings/profile.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/hash.h"
#include "bindings/id_map.h"

namespace headrace::bindings {

Frame merge_profiles(const SharedTable& table, const std::vector<uint64_t>& processes) {
  static constexpr std::array kSums = {"calls", "errors", "bytes", "time_ns"};
  const format::Column* column = table->find("function");
  Frame frame;
  if (!column || column->type != format::Type::kText) return frame;
  const Values names = text_values(table, *column, false);
  const Values owners = numbers(table, table->find("process"), table->rows);
  IdMap known, wanted;
  for (uint64_t process : processes) wanted.insert(process, 0);
  std::vector<uint64_t> rows, of;
  TextBuilder functions;
  for (uint64_t row = 0; row < table->rows; ++row) {
    if (!processes.empty() && wanted.find(owners.words[row]) == IdMap::kNone) continue;
    rows.push_back(row);
    const uint32_t before = known.size();
    of.push_back(known.insert(base::hash_text(names.text(row)), before));
    if (known.size() != before) functions.add_valid(names.text(row));
  }
  frame.rows = known.size();
  frame.columns.push_back(functions.finish("function"));
  const auto merged = [&](const char* name, auto merge) {
    const Values values = numbers(table, table->find(name), table->rows);
    std::vector<uint64_t> words(known.size());
    for (uint64_t i = 0; i < rows.size(); ++i) words[of[i]] = merge(words[of[i]], values.words[rows[i]]);
    frame.columns.push_back(number_values(name, std::move(words)));
  };
  for (const char* name : kSums) merged(name, [](uint64_t a, uint64_t b) { return a + b; });
  merged("max_ns", [](uint64_t a, uint64_t b) { return std::max(a, b); });
  return frame;
}

}  // namespace headrace::bindings
