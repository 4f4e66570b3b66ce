#pragma once
// The table `names` as a map from id to text. Immutable: reading is safe in any thread.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "bindings/frame.h"
#include "bindings/id_map.h"
#include "format/columns.h"

namespace headrace::bindings {

class Names {
 public:
  /// `table` may be null: a log whose names are lost.
  explicit Names(std::shared_ptr<const format::Table> table);

  /// A column of texts for a column of ids. Id 0 is no name and gives empty text; an id that is not in the log gives
  /// "[name 0123456789abcdef is lost]".
  Values resolve(std::string name, const Values& ids) const;

  /// The text of one id; empty when it has none. Lives as long as this object.
  std::string_view text(uint64_t id) const {
    const uint32_t row = rows_.find(id);
    return row == IdMap::kNone ? std::string_view() : known(row);
  }

 private:
  std::string_view known(uint32_t row) const { return texts_.text(row); }

  Values texts_;  // valid UTF-8
  IdMap rows_;
};

}  // namespace headrace::bindings
