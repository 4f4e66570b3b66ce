#pragma once
// Columns as bytes in the types of docs/formats/report-payload.md. Pure functions.

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::bindings {

static_assert(std::endian::native == std::endian::little, "columns are copied as they lie in memory");

struct PackedColumn {
  std::string name;
  std::string type;                 // "u32", "i32", "f64", "text" or "code8", "code16", "code"
  std::vector<std::string> parts;   // the bytes; of text: offsets, then text
  std::vector<std::string> values;  // of a code
};

template <typename T>
PackedColumn pack_numbers(std::string name, std::string type, const std::vector<T>& values) {
  return {std::move(name),
          std::move(type),
          {std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T))},
          {}};
}

inline PackedColumn pack(std::string name, const std::vector<double>& values) {
  return pack_numbers(std::move(name), "f64", values);
}

/// Few different texts, numbered in the order in which they first come.
class CodeBuilder {
 public:
  void add(std::string_view text) {
    auto found = codes_.find(text);
    if (found == codes_.end()) {
      found = codes_.emplace(std::string(text), static_cast<uint32_t>(values_.size())).first;
      values_.emplace_back(text);
    }
    rows_.push_back(found->second);
  }

  PackedColumn finish(std::string name) {
    PackedColumn column;
    if (values_.size() <= 0x100) {
      column = pack_numbers(std::move(name), "code8", std::vector<uint8_t>(rows_.begin(), rows_.end()));
    } else if (values_.size() <= 0x10000) {
      column = pack_numbers(std::move(name), "code16", std::vector<uint16_t>(rows_.begin(), rows_.end()));
    } else {
      column = pack_numbers(std::move(name), "code", rows_);
    }
    column.values = std::move(values_);
    return column;
  }

 private:
  std::map<std::string, uint32_t, std::less<>> codes_;
  std::vector<std::string> values_;
  std::vector<uint32_t> rows_;
};

}  // namespace headrace::bindings
