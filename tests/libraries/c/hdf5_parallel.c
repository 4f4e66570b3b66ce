/* Every rank writes its rows of one dataset, together and then alone, and reads its neighbour's. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                        \
  if ((call) < 0) {                        \
    fprintf(stderr, "%s failed\n", #call); \
    MPI_Abort(MPI_COMM_WORLD, 1);          \
  }

int main(int count, char** arguments) {
  int rank, ranks;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  hsize_t size[2] = {8 * (hsize_t)ranks, 128}, block[2] = {8, 128}, start[2] = {8 * (hsize_t)rank, 0};
  static double values[8 * 128];
  for (int i = 0; i < 8 * 128; ++i) values[i] = rank + i * 0.001;

  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL));
  CHECK(H5Pset_coll_metadata_write(access, 1));
  hid_t file = H5Fcreate(arguments[1], H5F_ACC_TRUNC, H5P_DEFAULT, access);
  CHECK(file);
  hid_t space = H5Screate_simple(2, size, NULL), memory = H5Screate_simple(2, block, NULL);
  hid_t how = H5Pcreate(H5P_DATASET_CREATE);
  CHECK(H5Pset_obj_track_times(how, 0)); /* so that two runs write the same file */
  hid_t set = H5Dcreate2(file, "shared", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT);
  CHECK(set);
  H5Pclose(how);
  hid_t together = H5Pcreate(H5P_DATASET_XFER), alone = H5Pcreate(H5P_DATASET_XFER);
  CHECK(H5Pset_dxpl_mpio(together, H5FD_MPIO_COLLECTIVE));
  CHECK(H5Pset_dxpl_mpio(alone, H5FD_MPIO_INDEPENDENT));
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, block, NULL));
  for (int i = 0; i < 3; ++i) CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, together, values));
  for (int i = 0; i < 2; ++i) CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, alone, values));
  MPI_Barrier(MPI_COMM_WORLD);
  start[0] = 8 * (hsize_t)((rank + 1) % ranks);
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, block, NULL));
  CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, together, values));
  if ((int)values[0] != (rank + 1) % ranks) MPI_Abort(MPI_COMM_WORLD, 2);
  H5Pclose(together);
  H5Pclose(alone);
  H5Sclose(memory);
  H5Sclose(space);
  CHECK(H5Dclose(set));
  CHECK(H5Fclose(file));
  H5Pclose(access);
  MPI_Finalize();
  return 0;
}
