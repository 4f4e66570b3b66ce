#pragma once
// Frames as Arrow structs, without copying. Both functions hand out ownership: the receiver calls `release`.

#include "bindings/arrow_abi.h"
#include "bindings/frame.h"

namespace headrace::bindings {

/// A struct type with one child a column; children carry the metadata "unit", "merge", "with" and "doc" where known.
ArrowSchema export_schema(const Frame& frame);

/// The columns, which stay alive until released. Text is large_utf8, bytes large_binary, lists large_list.
ArrowArray export_array(const Frame& frame);

}  // namespace headrace::bindings
