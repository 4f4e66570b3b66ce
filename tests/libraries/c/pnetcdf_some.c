/* Starts nonblocking writes and reads, cancels and waits for them one by one, while others wait. Tells how long what
 * was written and what was read took, in ns. */
#include <stdio.h>
#include <stdlib.h>

#include "pnetcdf_check.h"

enum { kPart = 1 << 20 };

static int file, variable;
static double* values;
static double spent[2];

static int start(int reads, int part) {
  int request;
  const double begin = MPI_Wtime();
  MPI_Offset first = (MPI_Offset)part * kPart, count = kPart;
  double* memory = values + (size_t)part * kPart;
  CHECK(reads ? ncmpi_iget_vara_double(file, variable, &first, &count, memory, &request)
              : ncmpi_iput_vara_double(file, variable, &first, &count, memory, &request));
  spent[reads] += MPI_Wtime() - begin;
  return request;
}

static void wait_for(int reads, int count, int request) {
  int status;
  const double begin = MPI_Wtime();
  CHECK(ncmpi_wait_all(file, count, &request, &status));
  spent[reads] += MPI_Wtime() - begin;
}

int main(int argc, char** argv) {
  int dimension, status;
  MPI_Init(&argc, &argv);
  values = calloc(4, kPart * sizeof *values);
  CHECK(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  CHECK(ncmpi_def_dim(file, "x", 4 * (MPI_Offset)kPart, &dimension));
  CHECK(ncmpi_def_var(file, "values", NC_DOUBLE, 1, &dimension, &variable));
  CHECK(ncmpi_enddef(file));
  int first = start(0, 0), second = start(0, 1);
  wait_for(0, 1, first);
  int read = start(1, 0), dropped = start(1, 1);
  CHECK(ncmpi_cancel(file, 1, &dropped, &status));
  int third = start(0, 2);
  wait_for(0, 1, second);
  wait_for(1, 1, read);
  wait_for(0, 1, third);
  start(0, 3), start(1, 2);
  wait_for(0, NC_PUT_REQ_ALL, 0);
  wait_for(1, NC_GET_REQ_ALL, 0);
  CHECK(ncmpi_close(file));
  printf("%.0f %.0f\n", spent[0] * 1e9, spent[1] * 1e9);
  free(values);
  MPI_Finalize();
  return 0;
}
