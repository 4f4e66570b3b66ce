// Reads what a job log says (docs/formats/job-log.md), from whichever file has its tables. Every byte is taken for
// hostile.
#pragma once
#include <functional>
#include <string>
#include <unordered_map>

#include "base/result.h"
#include "format/columns.h"
#include "workload/replay/recording.h"

namespace headrace::workload::replay {

/// A table of the log; kNotFound: it has none of that name.
using Tables = std::function<base::Result<format::Table>(const std::string&)>;

/// A column, which reads 0 or empty where the table has none of that name.
class Field {
 public:
  Field(const format::Table& table, const char* name) : column_(table.find(name)) {}
  uint64_t number(uint64_t row) const {
    return column_ != nullptr && column_->type != format::Type::kText ? column_->u64(row) : 0;
  }
  std::string text(uint64_t row) const {
    return column_ != nullptr && column_->type == format::Type::kText ? std::string(column_->text(row)) : "";
  }

 private:
  const format::Column* column_;
};

/// Texts by id.
base::Result<std::unordered_map<uint64_t, std::string>> read_texts(const Tables& tables);

/// Adds to a recording what the log knows of its files: how they were opened, how large they were, what became of them.
base::Status add_facts(const Tables& tables, Recording& to);

}  // namespace headrace::workload::replay
