#pragma once
// Names the columns of a table that is about to be written. Borrows the values: they must live and stay unchanged
// until Writer::add() returned. One thread at a time.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "format/columns.h"

namespace headrace::format {

/// All columns must have the same number of rows. Names: 1–255 bytes of printable ASCII without spaces, each once.
/// The first mistake is kept and returned by Writer::add().
///
///   TableBuilder files("files");
///   files.u64("record", ids).u64("opens", &records[0].opens, records.size(), sizeof records[0]).text("kind", kinds);
class TableBuilder {
 public:
  /// `name`: 1–16 bytes of printable ASCII.
  explicit TableBuilder(std::string_view name) : name_(name) {}

  TableBuilder& u64(std::string_view name, std::span<const uint64_t> values);
  TableBuilder& i64(std::string_view name, std::span<const int64_t> values);
  TableBuilder& f64(std::string_view name, std::span<const double> values);
  TableBuilder& text(std::string_view name, std::span<const std::string_view> values);
  TableBuilder& text(std::string_view name, std::span<const std::string> values);

  /// A member of an array of structures: `rows` values, `stride` bytes apart.
  TableBuilder& u64(std::string_view name, const uint64_t* first, size_t rows, size_t stride);
  /// Every row has the same value.
  TableBuilder& constant_u64(std::string_view name, uint64_t value, size_t rows);

  /// Range of the times in the table, ns since the job's start; kept in the chunk headers.
  TableBuilder& time_range(uint64_t begin_at_ns, uint64_t end_at_ns);
  /// Version of the table's schema, 1 unless said.
  TableBuilder& version(uint16_t version);

  const std::string& name() const { return name_; }
  size_t rows() const { return rows_; }
  size_t columns() const { return columns_.size(); }

 private:
  friend class TableEncoder;
  friend class Writer;

  struct Source {
    std::string name;
    Type type;
    const void* values;          // 8-byte numbers, string_views or strings; null: every row is `constant`
    size_t stride;               // bytes between values
    bool owned_strings = false;  // kText: std::string rather than std::string_view
    uint64_t constant = 0;
  };
  TableBuilder& add(Source source, size_t rows);

  std::string name_;
  size_t rows_ = 0;
  std::vector<Source> columns_;
  uint64_t begin_at_ns_ = 0;
  uint64_t end_at_ns_ = 0;
  uint16_t version_ = 1;
  base::Status mistake_;
};

}  // namespace headrace::format
