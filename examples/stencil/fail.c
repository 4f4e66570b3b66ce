#include "fail.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void fail(const char* format, ...) {
  char what[1024];
  va_list more;
  va_start(more, format);
  vsnprintf(what, sizeof what, format, more);
  va_end(more);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "stencil: rank %d: %s\n", rank, what);
  fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  abort();  // MPI_Abort does not return, which compilers do not know
}
