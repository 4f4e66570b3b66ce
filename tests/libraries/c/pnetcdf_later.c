/* Every rank writes and reads one variable in nonblocking calls, and tells how long that took it: those that start
 * and those that wait. */
#include <stdio.h>
#include <stdlib.h>

#include "pnetcdf_check.h"

enum { kParts = 8, kPart = 1 << 18 };

int main(int argc, char** argv) {
  int rank, ranks, file, dimension, variable, requests[kParts], statuses[kParts];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double* values = calloc(kParts, kPart * sizeof *values);
  CHECK(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  CHECK(ncmpi_def_dim(file, "x", (MPI_Offset)ranks * kParts * kPart, &dimension));
  CHECK(ncmpi_def_var(file, "values", NC_DOUBLE, 1, &dimension, &variable));
  CHECK(ncmpi_enddef(file));
  double spent[2];
  for (int reads = 0; reads < 2; ++reads) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < kParts; ++i) {
      MPI_Offset start = ((MPI_Offset)rank * kParts + i) * kPart, count = kPart;
      double* part = values + (size_t)i * kPart;
      CHECK(reads ? ncmpi_iget_vara_double(file, variable, &start, &count, part, &requests[i])
                  : ncmpi_iput_vara_double(file, variable, &start, &count, part, &requests[i]));
    }
    CHECK(ncmpi_wait_all(file, 1, requests, statuses));
    CHECK(ncmpi_wait_all(file, kParts - 1, requests + 1, statuses));
    spent[reads] = MPI_Wtime() - begin;
  }
  CHECK(ncmpi_close(file));
  printf("%d %.0f %.0f\n", rank, spent[0] * 1e9, spent[1] * 1e9);
  free(values);
  MPI_Finalize();
  return 0;
}
