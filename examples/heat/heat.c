// A small parallel simulation that checkpoints: heat spreads over a plate that the ranks share row by row, and every
// few steps all of them write the plate into one HDF5 file, together. Rank 0 also keeps a text log, as simulations do.
//
//   mpirun -np 4 heat DIRECTORY [STEPS]
//
// It writes well at first and badly at last: the final state goes out row by row, each rank for itself. The report
// shows the difference.
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { kRows = 256, kColumns = 1024, kEvery = 10 };  // rows are those of one rank

static int rank, ranks;

static void fail(const char* what) {
  fprintf(stderr, "heat: rank %d: %s failed\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// One step: every point moves towards the mean of its neighbours; the first and last row of a rank are its neighbours'.
static void step(double (*now)[kColumns], double (*next)[kColumns]) {
  int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(now[1], kColumns, MPI_DOUBLE, up, 0, now[kRows + 1], kColumns, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(now[kRows], kColumns, MPI_DOUBLE, down, 1, now[0], kColumns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  for (int i = 1; i <= kRows; ++i)
    for (int j = 1; j < kColumns - 1; ++j)
      next[i][j] = 0.25 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] + now[i][j + 1]);
}

static hid_t create_file(const char* path) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
  H5Pset_alignment(access, 65536, 65536);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  if (file < 0) fail("creating a checkpoint");
  return file;
}

// The rank's part of the plate: at once and together, or row by row and alone.
static void write_plate(hid_t file, double (*plate)[kColumns], int together) {
  hsize_t whole[2] = {(hsize_t)ranks * kRows, kColumns}, part[2] = {together ? kRows : 1, kColumns};
  hid_t space = H5Screate_simple(2, whole, NULL), memory = H5Screate_simple(2, part, NULL);
  hid_t data = H5Dcreate2(file, "/temperature", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_dxpl_mpio(transfer, together ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
  for (hsize_t row = 0; row < kRows; row += part[0]) {
    hsize_t start[2] = {(hsize_t)rank * kRows + row, 0};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, part, NULL);
    if (H5Dwrite(data, H5T_NATIVE_DOUBLE, memory, space, transfer, plate[row + 1]) < 0) fail("writing a checkpoint");
  }
  H5Pclose(transfer);
  H5Dclose(data);
  H5Sclose(memory);
  H5Sclose(space);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2) fail("finding the directory to write to: mpirun -np 4 heat DIRECTORY [STEPS]; reading it");
  int steps = argc > 2 ? atoi(argv[2]) : 50;
  if (rank == 0) mkdir(argv[1], 0777);
  MPI_Barrier(MPI_COMM_WORLD);
  double (*now)[kColumns] = calloc(kRows + 2, sizeof *now), (*next)[kColumns] = calloc(kRows + 2, sizeof *next);
  if (!now || !next) fail("getting memory");
  if (rank == 0)
    for (int j = 0; j < kColumns; ++j) now[0][j] = next[0][j] = 100;
  char path[4096];
  snprintf(path, sizeof path, "%s/log.txt", argv[1]);
  FILE* log = rank == 0 ? fopen(path, "w") : NULL;
  if (rank == 0 && !log) fail("opening the log");
  for (int i = 1; i <= steps; ++i) {
    step(now, next);
    double (*former)[kColumns] = now;
    now = next;
    next = former;
    double mine = now[1][kColumns / 2], hottest;
    MPI_Allreduce(&mine, &hottest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (log) fprintf(log, "step %d: %g\n", i, hottest);
    if (i % kEvery != 0) continue;
    snprintf(path, sizeof path, "%s/checkpoint_%04d.h5", argv[1], i);
    hid_t file = create_file(path);
    write_plate(file, now, 1);
    H5Fclose(file);
  }
  snprintf(path, sizeof path, "%s/final.h5", argv[1]);
  hid_t file = create_file(path);
  write_plate(file, now, 0);
  H5Fclose(file);
  if (log) fclose(log);
  free(now);
  free(next);
  MPI_Finalize();
  return 0;
}
