#pragma once
// What Python asks of an export of a trace, and what it is told. Need the GIL.

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <vector>

#include "bindings/errors.h"
#include "convert/trace/export.h"

namespace headrace::bindings {

inline std::vector<uint32_t> known(const events::TraceReader& trace, std::vector<uint32_t> locations) {
  for (const uint32_t each : locations)
    if (each >= trace.locations().size()) throw nanobind::index_error("no location of this number");
  return locations;
}

/// `told(events)` is called with the GIL, unless it is None; an exception from it, or of a signal, ends the work.
inline std::function<bool(uint64_t)> tell(nanobind::object told) {
  return [told = std::move(told)](uint64_t events) {
    const nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) return false;
    if (told.is_none()) return true;
    const nanobind::handle result(PyObject_CallFunction(told.ptr(), "K", static_cast<unsigned long long>(events)));
    if (!result.is_valid()) return false;
    result.dec_ref();
    return true;
  };
}

inline convert::ExportOptions export_options(const events::TraceReader& trace, std::vector<uint32_t> locations,
                                             uint64_t begin_at_ns, uint64_t end_at_ns, nanobind::object told) {
  return {.locations = known(trace, std::move(locations)),
          .range = {begin_at_ns, end_at_ns},
          .go_on = tell(std::move(told))};
}

/// Throws what go_on met, or Failure.
inline nanobind::dict told_of(base::Result<convert::Exported> result) {
  if (PyErr_Occurred() != nullptr) throw nanobind::python_error();
  const convert::Exported exported = take(std::move(result));
  nanobind::dict dict;
  dict["events"] = exported.events;
  dict["records"] = exported.records;
  dict["without_rank"] = exported.without_rank;
  dict["closed_at_end"] = exported.changes.closed_at_end;
  dict["cut_at_begin"] = exported.changes.cut_at_begin;
  dict["closed_in_gap"] = exported.changes.closed_in_gap;
  dict["opened_in_gap"] = exported.changes.opened_in_gap;
  dict["closed_early"] = exported.changes.closed_early;
  dict["left_out"] = exported.changes.left_out;
  dict["moved"] = exported.changes.moved;
  return dict;
}

}  // namespace headrace::bindings
