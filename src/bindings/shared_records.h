#pragma once
// File records that stand for several ranks, from the tables `shared` and `shares`. Reading is safe in any thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bindings/columns.h"
#include "bindings/id_map.h"
#include "bindings/ranks.h"

namespace headrace::bindings {

/// The tables that say who did what; each may be empty, none null.
struct RecordTables {
  SharedTable files, processes, shared, shares;
  std::shared_ptr<std::optional<Ranks>> found = std::make_shared<std::optional<Ranks>>();

  /// Those of `processes`, looked for once, since they may be very many. One thread at a time.
  const Ranks& ranks() const {
    if (!*found) found->emplace(processes);
    return **found;
  }
};

/// Columns of `shares`.
struct Shares {
  explicit Shares(const SharedTable& table);
  std::string_view kind_of(uint64_t row) const { return kind ? kind->text(row) : std::string_view(); }
  std::string_view layer_of(uint64_t row) const { return layer ? layer->text(row) : std::string_view(); }

  uint64_t rows;
  Values process, record, files, reads, writes, calls, bytes_read, bytes_written, read_ns, write_ns, meta_ns;
  const format::Column *kind, *layer;
};

class SharedRecords {
 public:
  SharedRecords(const RecordTables& tables, const Ranks& ranks);

  bool empty() const { return table_->rows == 0; }
  /// Row of `shared`, or IdMap::kNone.
  uint32_t find(uint64_t record) const { return rows_.find(record); }
  /// Whether `shares` says of each of its ranks what it did.
  bool complete(uint32_t row) const { return complete_[row]; }
  /// Rows of `shares` about it.
  std::span<const uint32_t> shares_of(uint32_t row) const {
    return {about_.data() + starts_[row], about_.data() + starts_[row + 1]};
  }
  uint64_t number(const char* column, uint32_t row) const;
  std::string_view who(uint32_t row) const { return who_ ? who_->text(row) : std::string_view(); }
  /// Whether `shares` has what the ranks of this program did.
  bool has_shares(uint32_t program) const { return program < programs_.size() && programs_[program]; }

  const Shares shares;

 private:
  SharedTable table_;
  const format::Column* who_;
  IdMap rows_;
  std::vector<bool> complete_, programs_;
  std::vector<uint32_t> starts_, about_;
};

}  // namespace headrace::bindings
