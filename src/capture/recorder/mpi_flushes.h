// Ranks of a parallel program store their events together (--trace-flush sync): behind every n-th collective operation
// over all of them they agree whether one has little room left; then all flush, and go on when all are done. So no rank
// waits in the program's own messages for another one that stores events.
//
// Counted are blocking operations that no rank leaves before all have come (the rows of mpi.def with `meeting`): to
// agree there makes nobody wait whom the program does not make wait, and a program that is right stays so. Of a program
// whose threads may call MPI at the same time only those over MPI_COMM_WORLD itself count, as operations over other
// communicators have no order. What is said goes over the recorder's own communicator (mpi_ours.h), and no wait is
// without an end. docs/decisions/0006-flushes.md says more.
#pragma once
#include "capture/recorder/mpi.h"

namespace headrace::capture::mpi {

/// Before the real MPI_Init: leaves word on this node that the rank would take part.
void register_for_flushes();

/// After MPI_Init: makes sure that all ranks do. All ranks of a program do it, or none.
void agree_on_flushes(const Library& m);

/// Before MPI_Finalize.
void end_flushes();

}  // namespace headrace::capture::mpi
