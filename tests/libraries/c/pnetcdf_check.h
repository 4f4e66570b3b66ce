/* Ends all ranks where a call of PnetCDF fails. */
#pragma once
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>

#define CHECK(call)                                                \
  do {                                                             \
    int status_ = (call);                                          \
    if (status_ != NC_NOERR) {                                     \
      fprintf(stderr, "%s: %s\n", #call, ncmpi_strerror(status_)); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                \
    }                                                              \
  } while (0)
