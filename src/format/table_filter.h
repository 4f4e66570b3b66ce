#pragma once
// Tables changed on their way into a file. One thread at a time, as the Writer that uses it.

#include <cstdint>
#include <string>
#include <vector>

#include "format/columns.h"
#include "format/table_builder.h"

namespace headrace::format {

class TableFilter {
 public:
  virtual ~TableFilter() = default;

  /// Changes a table that is about to be written. False: nothing of it may be written.
  virtual bool apply(Table& table) = 0;
};

/// The rows that a builder would write. The builder must be without mistakes.
Table table_of(const TableBuilder& builder);

/// A builder that borrows the values of a table, which must outlive it.
class TableCopy {
 public:
  explicit TableCopy(const Table& table);
  TableCopy(const TableCopy&) = delete;
  TableCopy& operator=(const TableCopy&) = delete;

  TableBuilder& builder() { return builder_; }

 private:
  TableBuilder builder_;
  std::vector<std::vector<uint64_t>> words_;  // of constant columns
  std::vector<std::vector<std::string_view>> texts_;
};

}  // namespace headrace::format
