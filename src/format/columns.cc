#include "format/columns.h"

#include <algorithm>

namespace headrace::format {

const Column* Table::find(std::string_view column) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == column; });
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace headrace::format
