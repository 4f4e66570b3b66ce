/* Every rank writes its rows of one variable in several ways, and reads them. */
#include <stdio.h>
#include <string.h>

#include "pnetcdf_check.h"

int main(int count, char** arguments) {
  int rank, ranks, file, dimensions[2], rows, counts, requests[2], statuses[2];
  float values[4 * 100];
  int numbers[10];
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 400; ++i) values[i] = (float)(rank + i);
  for (int i = 0; i < 10; ++i) numbers[i] = i;
  MPI_Offset start[2] = {4 * rank, 0}, size[2] = {4, 100}, column[2] = {4, 1}, stride[2] = {1, 2}, half[2] = {4, 50};
  MPI_Info hints;
  MPI_Info_create(&hints);
  MPI_Info_set(hints, "nc_header_align_size", "512");

  CHECK(ncmpi_create(MPI_COMM_WORLD, arguments[1], NC_CLOBBER | NC_64BIT_DATA, hints, &file));
  MPI_Info_free(&hints);
  CHECK(ncmpi_def_dim(file, "rows", 4 * ranks, &dimensions[0]));
  CHECK(ncmpi_def_dim(file, "columns", 100, &dimensions[1]));
  CHECK(ncmpi_def_var(file, "rows", NC_DOUBLE, 2, dimensions, &rows));
  CHECK(ncmpi_def_var(file, "counts", NC_INT, 1, &dimensions[1], &counts));
  CHECK(ncmpi_put_att_text(file, rows, "units", 1, "m"));
  CHECK(ncmpi_enddef(file));
  CHECK(ncmpi_put_vara_float_all(file, rows, start, size, values)); /* 3200 bytes in the file */
  CHECK(ncmpi_put_vara_all(file, rows, start, size, values, 400, MPI_FLOAT));
  CHECK(ncmpi_put_vars_float_all(file, rows, start, half, stride, values)); /* 1600, in pieces */
  MPI_Offset* starts[2] = {(MPI_Offset[2]){4 * rank, 0}, (MPI_Offset[2]){4 * rank, 50}};
  MPI_Offset* sizes[2] = {(MPI_Offset[2]){1, 10}, (MPI_Offset[2]){1, 20}};
  CHECK(ncmpi_put_varn_float_all(file, rows, 2, starts, sizes, values));       /* 240, in pieces */
  CHECK(ncmpi_iput_vara_float(file, rows, start, size, values, &requests[0])); /* 3200 later */
  MPI_Offset ten[1] = {10}, zero[1] = {0};
  CHECK(ncmpi_iput_vara_int(file, counts, zero, ten, numbers, &requests[1])); /* 40 later */
  CHECK(ncmpi_wait_all(file, 2, requests, statuses));
  CHECK(ncmpi_begin_indep_data(file));
  CHECK(ncmpi_get_vara_float(file, rows, start, column, values)); /* 32, in pieces, alone */
  CHECK(ncmpi_get_vara_float(file, 77, start, column, values) == NC_ENOTVAR ? NC_NOERR : NC_EINVAL);
  CHECK(ncmpi_end_indep_data(file));
  CHECK(ncmpi_sync(file));
  CHECK(ncmpi_close(file));

  CHECK(ncmpi_open(MPI_COMM_WORLD, arguments[1], NC_NOWRITE, MPI_INFO_NULL, &file));
  int all[100];
  CHECK(ncmpi_inq_varid(file, "counts", &counts));
  CHECK(ncmpi_get_var_int_all(file, counts, all)); /* 400 */
  if (all[9] != 9) MPI_Abort(MPI_COMM_WORLD, 2);
  CHECK(ncmpi_close(file));
  MPI_Finalize();
  return 0;
}
