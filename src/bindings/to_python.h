#pragma once
// Frames as Python objects without Arrow, for the few rows that a terminal shows. Need the GIL.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/frame.h"

namespace headrace::bindings {

/// Rows of a frame as dicts: int, float, str, bytes or list of str by column name. `columns`: only these; empty: all.
/// Logs of very many ranks say the same text row after row: such rows share it. The frame must outlive this.
class RowMaker {
 public:
  RowMaker(const Frame& frame, const std::vector<std::string>& columns);
  nanobind::dict row(uint64_t number);

 private:
  struct Column {
    nanobind::str name;
    const Values* values;
    std::string_view text;  // of the row made last
    nanobind::object last;
  };
  std::vector<Column> columns_;
};

/// Text as str (it is valid UTF-8).
nanobind::str str_of(std::string_view text);

}  // namespace headrace::bindings
