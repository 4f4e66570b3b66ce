#include "bindings/shared_records.h"

#include <numeric>

#include "base/hash.h"

namespace headrace::bindings {
namespace {

Values column(const SharedTable& table, const char* name) { return numbers(table, table->find(name), table->rows); }

}  // namespace

Shares::Shares(const SharedTable& table)
    : rows(table->rows),
      process(column(table, "process")),
      record(column(table, "record")),
      files(column(table, "files")),
      reads(column(table, "reads")),
      writes(column(table, "writes")),
      calls(column(table, "calls")),
      bytes_read(column(table, "bytes_read")),
      bytes_written(column(table, "bytes_written")),
      read_ns(column(table, "read_ns")),
      write_ns(column(table, "write_ns")),
      meta_ns(column(table, "meta_ns")),
      kind(text_column(table, "kind")),
      layer(text_column(table, "layer")) {}

SharedRecords::SharedRecords(const RecordTables& tables, const Ranks& ranks)
    : shares(tables.shares),
      table_(tables.shared),
      who_(text_column(tables.shared, "who")),
      rows_(tables.shared->rows),
      complete_(tables.shared->rows),
      programs_(ranks.worlds.size()),
      starts_(tables.shared->rows + 1) {
  const Values records = column(table_, "record"), counts = column(table_, "ranks");
  for (uint32_t row = 0; row < table_->rows; ++row) rows_.insert(records.words[row], row);
  std::vector<uint32_t> of(shares.rows, IdMap::kNone);
  std::vector<uint64_t> known(table_->rows);
  IdMap seen;
  for (uint64_t row = 0; row < shares.rows; ++row) {
    const uint32_t rank = ranks.of_process.find(shares.process.words[row]);
    if (rank != IdMap::kNone) programs_[ranks.all[rank].program] = true;
    of[row] = find(shares.record.words[row]);
    if (of[row] == IdMap::kNone) continue;
    ++starts_[of[row] + 1];
    const uint32_t before = seen.size();
    if (rank == IdMap::kNone) continue;
    seen.insert(base::mix(of[row], rank), 0);
    known[of[row]] += seen.size() - before;
  }
  for (uint32_t row = 0; row < table_->rows; ++row) complete_[row] = known[row] > 0 && known[row] >= counts.words[row];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  std::vector<uint32_t> next(starts_);
  about_.resize(starts_.back());
  for (uint32_t row = 0; row < shares.rows; ++row) {
    if (of[row] != IdMap::kNone) about_[next[of[row]]++] = row;
  }
}

uint64_t SharedRecords::number(const char* name, uint32_t row) const {
  const format::Column* found = table_->find(name);
  return found && found->type != format::Type::kText ? found->u64(row) : 0;
}

}  // namespace headrace::bindings
