#pragma once
// What a library's function spends its time with, by its name. Pure function.

#include <string_view>

#include "model/event.h"

namespace headrace::events {

/// `layer`: mpi, mpiio, hdf5 or pnetcdf. Of MPI kCollective or kMessages, also for what talks to no other rank; of the
/// others kRead, kWrite or kMetadata.
model::TimeClass library_class(std::string_view layer, std::string_view name);

}  // namespace headrace::events
