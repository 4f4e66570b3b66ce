// Where a trace is wanted and ranks are on several nodes: how far the nodes' clocks are apart, when the program begins
// and when it ends (capture/clock_layout.h).
#pragma once
#include "capture/clock_layout.h"
#include "capture/recorder/mpi.h"

namespace headrace::capture::mpi {

/// Before the real MPI_Init: leaves word on this node that the rank can take part.
void register_for_clocks();

/// Behind the real MPI_Init, or before the real MPI_Finalize and the reduction; leaves errno alone. All ranks or none
/// come to speak with each other; who waits for one that is lost does so as long as the patience is, and once.
void measure_clocks(const Library& m, ClockWhen when);

}  // namespace headrace::capture::mpi
