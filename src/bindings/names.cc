#include "bindings/names.h"

#include <algorithm>
#include <cstdio>

#include "bindings/columns.h"

namespace headrace::bindings {
namespace {

constexpr uint32_t kScans = 16;  // look-ups that cost less by scanning than a map costs to build

std::string lost(uint64_t id) {
  char text[48];
  std::snprintf(text, sizeof text, "[name %016llx is lost]", static_cast<unsigned long long>(id));
  return text;
}

}  // namespace

Names::Names(const std::shared_ptr<const format::Table>& table) {
  const format::Column* ids = table ? table->find("name") : nullptr;
  const format::Column* texts = table ? table->find("text") : nullptr;
  if (!ids || !texts || ids->type == format::Type::kText || texts->type != format::Type::kText) {
    ids_ = zero_values("name", 0);
    texts_ = TextBuilder().finish("text");
    return;
  }
  ids_ = numbers(table, ids, table->rows);
  texts_ = text_values(table, *texts, false);
}

uint32_t Names::find(uint64_t id, uint32_t last) const {
  const uint64_t* words = ids_.words.get();
  if (const auto alias = aliases_.find(id); alias != aliases_.end()) id = alias->second;
  const uint32_t next = last + 1;  // kNone + 1 is 0, the first row
  if (next < ids_.rows && words[next] == id) return next;
  if (!map_ && misses_++ < kScans) {
    const uint64_t* place = std::find(words, words + ids_.rows, id);
    return place == words + ids_.rows ? IdMap::kNone : static_cast<uint32_t>(place - words);
  }
  if (!map_) {
    map_ = std::make_unique<IdMap>(ids_.rows);
    for (uint64_t row = 0; row < ids_.rows; ++row) map_->insert(words[row], static_cast<uint32_t>(row));
  }
  return map_->find(id);
}

Values Names::resolve(std::string name, const Values& ids) const {
  std::vector<uint32_t> rows(ids.rows);
  bool in_order = ids.rows > 0;
  for (uint64_t row = 0; row < ids.rows; ++row) {
    const uint64_t id = ids.words[row];
    // Neighbouring rows often name the same thing: one host, one program.
    const bool same = row > 0 && id == ids.words[row - 1];
    rows[row] = same ? rows[row - 1] : find(id, row > 0 ? rows[row - 1] : IdMap::kNone);
    in_order = in_order && rows[row] != IdMap::kNone && rows[row] == rows[0] + row;
  }
  if (!in_order) return gather(std::move(name), ids, rows);
  Values values = texts_;
  values.name = std::move(name);
  values.rows = ids.rows;
  values.offsets = {texts_.offsets, texts_.offsets.get() + rows[0]};
  return values;
}

Values Names::gather(std::string name, const Values& ids, const std::vector<uint32_t>& rows) const {
  uint64_t bytes = 0;
  for (uint32_t row : rows) bytes += row == IdMap::kNone ? 40 : texts_.text(row).size();
  TextBuilder builder;
  builder.reserve(ids.rows, bytes);
  for (uint64_t row = 0; row < ids.rows; ++row) {
    const uint64_t id = ids.words[row];
    if (rows[row] != IdMap::kNone) {
      builder.add_valid(texts_.text(rows[row]));
    } else {
      builder.add_valid(id == 0 ? std::string() : lost(id));
    }
  }
  return builder.finish(std::move(name));
}

}  // namespace headrace::bindings
