#pragma once
// Clusters of the rows of a table in memory (src/cluster).

#include <nanobind/nanobind.h>

namespace headrace::bindings {

void define_clusters(nanobind::module_& module);

}  // namespace headrace::bindings
