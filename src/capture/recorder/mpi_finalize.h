// The end of a parallel program: its ranks' figures are reduced to one part of the job log while MPI still works.
//
// Nothing waits for ever: where some rank does not come, or anything else fails, the spools hold what they held before,
// and whoever gathers them makes the log.
#pragma once
#include "capture/recorder/mpi.h"

namespace headrace::capture::mpi {

/// After MPI_Init: a communicator of our own, which must be made while every rank is sure to come. Collective.
void prepare_reduction(const Library& m, const void* caller);

/// Before the real MPI_Finalize; leaves errno alone. One thread, as MPI_Finalize itself.
void reduce_at_finalize(const Library& m);

}  // namespace headrace::capture::mpi
