#pragma once
// The clocks of a trace's nodes for Python: as `clocks` of `headrace trace info --json` (docs/trace.md).

#include <nanobind/nanobind.h>

#include "events/trace_reader.h"

namespace headrace::bindings {

nanobind::list clock_list(const events::TraceReader& reader);

}  // namespace headrace::bindings
