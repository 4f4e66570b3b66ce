#pragma once
// Calls by function, added up over processes. Pure functions.

#include "bindings/decode.h"
#include "bindings/frame.h"

namespace headrace::bindings {

/// One row a function, in the order in which the log first has them: function, calls, errors, bytes, time_ns, max_ns.
Frame merge_profiles(const SharedTable& profiles);

}  // namespace headrace::bindings
