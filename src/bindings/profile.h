#pragma once
// Calls by function, added up over processes. Pure functions.

#include <vector>

#include "bindings/decode.h"
#include "bindings/frame.h"

namespace headrace::bindings {

/// One row a function, in the order in which the log first has them: function, calls, errors, bytes, time_ns, max_ns.
/// Of these process images only; empty: of all.
Frame merge_profiles(const SharedTable& profiles, const std::vector<uint64_t>& processes);

}  // namespace headrace::bindings
