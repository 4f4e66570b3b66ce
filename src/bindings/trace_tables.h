#pragma once
// Rows of the tables that a trace becomes, as frames. Pure functions.

#include <vector>

#include "bindings/frame.h"
#include "convert/trace/trace_tables.h"

namespace headrace::bindings {

/// spans, messages, collectives and counters, each with the columns of docs/interchange.md; 2⁶⁴ − 1 stands for null.
std::vector<Frame> table_frames(const convert::TableRows& rows);

/// One row a reference: function, id, kind, layer, name, class.
Frame function_frame(const events::TraceReader& trace);

/// One row a handle: process, handle, path.
Frame handle_frame(const events::TraceReader& trace, const convert::TraceTables& tables);

}  // namespace headrace::bindings
