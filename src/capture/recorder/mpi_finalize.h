// The end of a parallel program: its ranks' figures are reduced to one part of the job log while MPI still works.
//
// Nothing waits for ever: where some rank does not come, or anything else fails, the spools hold what they held before,
// and whoever gathers them makes the log.
#pragma once
#include "capture/recorder/mpi.h"

namespace headrace::capture::mpi {

/// Before the real MPI_Init: leaves word on this node that the rank is captured.
void register_rank();

/// After MPI_Init: should the program end without MPI_Finalize, its log is to say what that prevented.
void expect_finalize();

/// Before the real MPI_Finalize; leaves errno alone. One thread, as MPI_Finalize itself. Does nothing unless all ranks
/// of this node are captured: one that is not would never come.
void reduce_at_finalize(const Library& m);

/// Whether MPI_Finalize was called.
bool is_over();

/// Whether some rank of this node is known not to be captured.
bool some_untraced(const Library& m);

}  // namespace headrace::capture::mpi
