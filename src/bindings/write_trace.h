#pragma once
// Writing a trace from Python.

#include <nanobind/nanobind.h>

#include <cstdint>

namespace headrace::bindings {

/// Replaces `path`. `locations`: (process, thread, rank, host, pid, lost, events), events being a buffer of
/// model::Event with times in ns; `references`: (kind, layer, name, class); `handles`: (process, handle, name). Throws
/// Failure.
void write_trace(const nanobind::bytes& path, const nanobind::list& locations, const nanobind::list& references,
                 const nanobind::list& handles, const nanobind::dict& facts, uint64_t job, uint8_t tick_shift);

}  // namespace headrace::bindings
