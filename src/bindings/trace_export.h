#pragma once

#include <nanobind/nanobind.h>

namespace headrace::bindings {

/// write_perfetto().
void define_trace_export(nanobind::module_& module);

}  // namespace headrace::bindings
