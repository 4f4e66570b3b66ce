#pragma once
// Writing job logs of runs that never were, for `headrace bench facility`.

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

namespace headrace::bindings {

/// `facts`: (key, value); `programs`: (executable, five numbers); `files`: (prefix, layers, numbers), both in the order
/// of workload/facility/job_log.h. Replaces `path`. Throws Failure; needs the GIL, which it gives away while it writes.
void write_made_log(const nanobind::bytes& path, uint64_t id, const nanobind::list& facts,
                    const nanobind::list& programs, const nanobind::list& files, const std::string& mount,
                    const std::string& mount_type);

}  // namespace headrace::bindings
