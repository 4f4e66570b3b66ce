#pragma once
// Any chunk file for Python, as it is stored: device samples, scans and whatever else is no job log.

#include <nanobind/nanobind.h>

namespace headrace::bindings {

/// Adds the class Chunks (python/headrace/_native.pyi).
void define_chunks(nanobind::module_& module);

}  // namespace headrace::bindings
