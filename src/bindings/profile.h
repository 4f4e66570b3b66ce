#pragma once
// Calls by function, added up over processes. Pure functions.

#include <vector>

#include "bindings/decode.h"
#include "bindings/frame.h"

namespace headrace::bindings {

/// One row a function and layer, in the order in which the log first has them: function, layer (empty when the log does
/// not say), calls, errors, bytes, time_ns, own_ns (0 when the log does not say), max_ns.
/// Of these process images only; empty: of all.
Frame merge_profiles(const SharedTable& profiles, const std::vector<uint64_t>& processes);

/// One row a process and layer: process, layer, calls, errors, bytes, time_ns, own_ns, max_ns.
Frame profiles_by_process(const SharedTable& profiles);

}  // namespace headrace::bindings
