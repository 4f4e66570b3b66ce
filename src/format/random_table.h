#pragma once
// Random tables for property tests: every type, every width, constants, repeated and unique text. Tests only.

#include <cstdint>
#include <string>
#include <vector>

#include "base/hash.h"
#include "format/columns.h"
#include "format/table_builder.h"

namespace headrace::format {

/// The same seed gives the same numbers on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() { return base::mix(state_, ++count_); }
  uint64_t below(uint64_t bound) { return next() % bound; }

 private:
  uint64_t state_;
  uint64_t count_ = 0;
};

struct RandomTable {
  struct Values {
    std::string name;
    Type type;
    std::vector<uint64_t> bits;      // of numbers
    std::vector<std::string> texts;  // of text
  };
  std::string name;
  size_t rows = 0;
  std::vector<Values> columns;

  TableBuilder builder() const {
    TableBuilder table(name);
    for (const Values& values : columns) {
      const uint64_t* const bits = values.bits.data();
      switch (values.type) {
        case Type::kU64:
          table.u64(values.name, values.bits);
          break;
        case Type::kI64:
          table.i64(values.name, {reinterpret_cast<const int64_t*>(bits), rows});
          break;
        case Type::kF64:
          table.f64(values.name, {reinterpret_cast<const double*>(bits), rows});
          break;
        case Type::kText:
          table.text(values.name, values.texts);
          break;
      }
    }
    return table;
  }

  /// Whether `table` has these columns from row `first` on; NaN counts by its bits.
  bool matches(const Table& table, size_t first = 0) const {
    for (const Values& values : columns) {
      const Column* column = table.find(values.name);
      if (column == nullptr || column->type != values.type || column->rows != table.rows) return false;
      for (size_t row = 0; row < rows; ++row) {
        if (values.type == Type::kText ? column->text(first + row) != values.texts[row]
                                       : column->u64(first + row) != values.bits[row])
          return false;
      }
    }
    return true;
  }
};

inline RandomTable::Values random_column(Random& random, std::string name, size_t rows) {
  RandomTable::Values column{std::move(name), static_cast<Type>(1 + random.below(4)), {}, {}};
  const uint64_t shape = random.below(6);
  const uint64_t base = random.next() >> random.below(64);
  const uint64_t bits = random.below(65);  // of the range; 0: constant
  for (size_t row = 0; row < rows; ++row) {
    uint64_t value = bits == 0 ? 0 : random.next() >> (64 - bits);
    if (shape == 0) value = 0;
    if (column.type != Type::kText) {
      column.bits.push_back(base + value);
    } else {
      const uint64_t choice = shape < 3 ? value % 5 : value;  // few values: a dictionary
      std::string text = "value " + std::to_string(choice);
      if (shape == 4) text.assign(value % 300, static_cast<char>(value));  // any byte, empty too
      column.texts.push_back(std::move(text));
    }
  }
  return column;
}

inline RandomTable random_table(Random& random, std::string name, size_t rows) {
  RandomTable table{std::move(name), rows, {}};
  const size_t columns = 1 + random.below(12);
  for (size_t i = 0; i < columns; ++i) table.columns.push_back(random_column(random, "c" + std::to_string(i), rows));
  return table;
}

}  // namespace headrace::format
