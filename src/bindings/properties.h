#pragma once
// What is known of files besides counts: hints, layouts, stripes. Pure functions.

#include "bindings/columns.h"
#include "bindings/frame.h"

namespace headrace::bindings {

/// The table `properties` for rows `chosen` of records merged by anything, or for all when `all`. One row a fact with
/// another value: row (of `merged`), key, value, records (how many have it). Of a key that a record has several times
/// the last counts. In the order of the log, rows of `merged` that have none left out.
Frame properties_of(const SharedTable& properties, const Frame& merged, const std::vector<uint64_t>& chosen, bool all);

}  // namespace headrace::bindings
