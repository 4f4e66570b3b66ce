#pragma once
// Writing a chunk file from Python: how the tests make job logs of any content.

#include <nanobind/nanobind.h>

#include <cstdint>

namespace headrace::bindings {

/// `tables`: {table: {column: list}}; a list holds str or bytes (text), or int (i64 when tables.def says so, or when a
/// column unknown there has a negative number; else u64), or float. Replaces `path`. Throws Failure; needs the GIL.
void write_tables(const nanobind::bytes& path, const nanobind::dict& tables, uint64_t job);

}  // namespace headrace::bindings
