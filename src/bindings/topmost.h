#pragma once
// Of each file the records of the topmost layer that used it, so that sums count no time and no byte twice: a call of
// HDF5 lasts as long as those of MPI-IO in it, and these as long as the system's. Pure functions.

#include <optional>

#include "bindings/names.h"
#include "bindings/shared_records.h"

namespace headrace::bindings {

/// The tables with those records alone; nothing where libraries have none, so that all records are topmost.
///
/// HDF5 and PnetCDF are above MPI-IO, that is above posix and stdio, which add up. It is told for each program of ranks
/// and each other process: one that copies what HDF5 wrote counts by itself. A layer whose records say of no
/// transfer (Darshan's H5F without H5D) counts only where none below does. Records of datasets become ones of their
/// file, without reads and writes where the file has these. Of files together, as `shares` may have them, the
/// system's layers stay.
std::optional<RecordTables> topmost(const RecordTables& tables, const Names& names);

}  // namespace headrace::bindings
