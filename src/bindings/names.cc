#include "bindings/names.h"

#include <cstdio>

#include "bindings/columns.h"

namespace headrace::bindings {
namespace {

std::string lost(uint64_t id) {
  char text[48];
  std::snprintf(text, sizeof text, "[name %016llx is lost]", static_cast<unsigned long long>(id));
  return text;
}

}  // namespace

Names::Names(std::shared_ptr<const format::Table> table) : rows_(table ? table->rows : 0) {
  const format::Column* ids = table ? table->find("name") : nullptr;
  const format::Column* texts = table ? table->find("text") : nullptr;
  if (!ids || !texts || ids->type == format::Type::kText || texts->type != format::Type::kText) {
    texts_ = TextBuilder().finish("text");
    return;
  }
  texts_ = text_values(table, *texts, false);
  for (uint64_t row = 0; row < table->rows; ++row) rows_.insert(ids->u64(row), static_cast<uint32_t>(row));
}

Values Names::resolve(std::string name, const Values& ids) const {
  std::vector<uint32_t> rows(ids.rows);
  uint64_t bytes = 0;
  for (uint64_t row = 0; row < ids.rows; ++row) {
    const uint64_t id = ids.words[row];
    // Neighbouring rows often name the same thing: one host, one program.
    rows[row] = row > 0 && id == ids.words[row - 1] ? rows[row - 1] : rows_.find(id);
    bytes += rows[row] == IdMap::kNone ? 40 : known(rows[row]).size();
  }
  TextBuilder builder;
  builder.reserve(ids.rows, bytes);
  for (uint64_t row = 0; row < ids.rows; ++row) {
    const uint64_t id = ids.words[row];
    if (rows[row] != IdMap::kNone) {
      builder.add_valid(known(rows[row]));
    } else {
      builder.add_valid(id == 0 ? std::string() : lost(id));
    }
  }
  return builder.finish(std::move(name));
}

}  // namespace headrace::bindings
