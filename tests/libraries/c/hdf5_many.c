/* `write FILE`: makes many datasets of several layouts; `read FILE`: opens and reads them. Tells how long that took,
 * from before the file is opened until it is closed, in ns. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kDatasets = 60, kValues = 1 << 17 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void transfer(hid_t file, int writes, int number, hid_t list, hid_t space, double* values) {
  char name[16];
  snprintf(name, sizeof name, "d%d", number);
  const hid_t set = writes ? H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT)
                           : H5Dopen2(file, name, H5P_DEFAULT);
  const herr_t done = writes ? H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)
                             : H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  if (done < 0 || H5Dclose(set) < 0) exit(1);
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const int writes = strcmp(arguments[1], "write") == 0;
  const hsize_t size = kValues, chunk = kValues / 4;
  double* values = calloc(kValues, sizeof *values);
  H5open();
  const hid_t space = H5Screate_simple(1, &size, NULL), chunked = H5Pcreate(H5P_DATASET_CREATE),
              contiguous = H5Pcreate(H5P_DATASET_CREATE);
  if (H5Pset_chunk(chunked, 1, &chunk) < 0) return 1;
  const hid_t lists[] = {H5P_DEFAULT, contiguous, chunked};
  const double begin = now();
  const hid_t file = writes ? H5Fcreate(arguments[2], H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)
                            : H5Fopen(arguments[2], H5F_ACC_RDONLY, H5P_DEFAULT);
  for (int i = 0; i < kDatasets; ++i) transfer(file, writes, i, lists[i % 3], space, values);
  H5Fclose(file);
  printf("%.0f\n", now() - begin);
  free(values);
  return 0;
}
