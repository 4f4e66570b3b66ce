#pragma once
// Traces for Python. What the functions promise is written in python/headrace/_native.pyi.

#include <nanobind/nanobind.h>

namespace headrace::bindings {

void define_trace(nanobind::module_& module);

}  // namespace headrace::bindings
