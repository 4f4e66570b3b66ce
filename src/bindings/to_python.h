#pragma once
// Frames as Python objects without Arrow, for the few rows that a terminal shows. Need the GIL.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bindings/frame.h"

namespace headrace::bindings {

/// One row as a dict: int, float, str, bytes or list of str by column name. `columns`: only these; empty: all.
nanobind::dict row_of(const Frame& frame, uint64_t row, const std::vector<std::string>& columns);

/// Text as str (it is valid UTF-8).
nanobind::str str_of(std::string_view text);

}  // namespace headrace::bindings
