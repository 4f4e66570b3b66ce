#include "bindings/properties.h"

#include <vector>

#include "base/hash.h"
#include "bindings/id_map.h"
#include "model/distinct_names.h"

namespace headrace::bindings {
namespace {

void own(IdMap& owner, const Frame& merged, uint64_t row) {
  if (row + 1 >= merged.record_starts.size()) return;
  for (uint64_t r = merged.record_starts[row]; r < merged.record_starts[row + 1]; ++r) {
    owner.insert(merged.records[r], static_cast<uint32_t>(row));
  }
}

}  // namespace

Frame properties_of(const SharedTable& table, const Frame& merged, const std::vector<uint64_t>& chosen, bool all) {
  const format::Column *key = table->find("key"), *value = table->find("value");
  const bool usable = key && value && key->type == format::Type::kText && value->type == format::Type::kText;
  const uint64_t rows = usable ? table->rows : 0;
  IdMap owner;
  for (uint64_t row = 0; all && rows > 0 && row < merged.rows; ++row) own(owner, merged, row);
  for (uint64_t row : chosen) own(owner, merged, row);
  const Values records = numbers(table, table->find("record"), table->rows);
  IdMap facts;
  std::vector<uint64_t> last;  // of each record and key: the row that counts
  for (uint64_t row = 0; row < rows; ++row) {
    if (owner.find(records.words[row]) == IdMap::kNone || key->text(row) == model::DistinctNames::kKey) continue;
    const uint64_t id = base::mix(records.words[row], base::hash_text(key->text(row)));
    const uint32_t at = facts.insert(id, static_cast<uint32_t>(last.size()));
    if (at == last.size()) last.push_back(row);
    last[at] = row;
  }
  IdMap distinct;
  std::vector<uint64_t> of, counts;
  TextBuilder keys, values;
  for (uint64_t row : last) {
    const uint32_t group = owner.find(records.words[row]);
    const uint64_t text = base::mix(base::hash_text(key->text(row)), base::hash_text(value->text(row)));
    const uint32_t at = distinct.insert(base::mix(group, text), static_cast<uint32_t>(of.size()));
    if (at == of.size()) {
      of.push_back(group);
      counts.push_back(0);
      keys.add(key->text(row));
      values.add(value->text(row));
    }
    ++counts[at];
  }
  Frame frame{.name = "", .rows = of.size()};
  frame.columns.push_back(number_values("row", std::move(of)));
  frame.columns.push_back(keys.finish("key"));
  frame.columns.push_back(values.finish("value"));
  frame.columns.push_back(number_values("records", std::move(counts)));
  return frame;
}

}  // namespace headrace::bindings
