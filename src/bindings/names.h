#pragma once
// The table `names` as a map from id to text. One thread at a time: looking up may build the map.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bindings/frame.h"
#include "bindings/id_map.h"
#include "format/columns.h"

namespace headrace::bindings {

class Names {
 public:
  /// `table` may be null: a log whose names are lost.
  explicit Names(const std::shared_ptr<const format::Table>& table);

  /// A column of texts for a column of ids. Id 0 is no name and gives empty text; an id that is not in the log gives
  /// "[name 0123456789abcdef is lost]". Shares memory with the table when rows and names are in the same order.
  Values resolve(std::string name, const Values& ids) const;

  /// A further id of a name.
  void add_alias(uint64_t alias, uint64_t id) { aliases_.emplace(alias, id); }
  const std::unordered_map<uint64_t, uint64_t>& aliases() const { return aliases_; }

  /// The text of one id; empty when it has none. Lives as long as this object.
  std::string_view text(uint64_t id) const {
    const uint32_t row = find(id, IdMap::kNone);
    return row == IdMap::kNone ? std::string_view() : texts_.text(row);
  }

 private:
  /// Row of an id, or kNone. Logs name things in the order in which they first occur, so the row after the one that
  /// was found last is tried first, and the map is built only once that has failed a few times.
  uint32_t find(uint64_t id, uint32_t last) const;
  Values gather(std::string name, const Values& ids, const std::vector<uint32_t>& rows) const;

  Values ids_, texts_;  // of the table; texts are valid UTF-8
  std::unordered_map<uint64_t, uint64_t> aliases_;
  mutable uint32_t misses_ = 0;
  mutable std::unique_ptr<IdMap> map_;
};

}  // namespace headrace::bindings
