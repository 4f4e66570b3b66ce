// Ranks reach into each other's memory, over a communicator whose ranks are those of the world the other way round.
// one_sided unseen: windows are freed where nobody who wraps MPI sees it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>

typedef int (*Free)(MPI_Win*);

static Free unseen(void) {
  const char* names[] = {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12"};
  for (int i = 0; i < 3; ++i) {
    void* library = dlopen(names[i], RTLD_NOW | RTLD_NOLOAD);
    Free found = NULL;
    if (library) *(void**)&found = dlsym(library, "PMPI_Win_free");
    if (found) return found;
  }
  return NULL;
}

int main(int argc, char** argv) {
  int rank, ranks;
  double memory[16] = {0}, values[16] = {0}, before[16];
  MPI_Comm turned;
  MPI_Win window;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  for (int round = 0; round < 2; ++round) {  // the second window may get the handle of the first
    MPI_Comm comm = round == 0 ? turned : MPI_COMM_WORLD;
    int next;
    MPI_Comm_rank(comm, &next);
    next = (next + 1) % ranks;
    MPI_Win_create(memory, sizeof memory, sizeof(double), MPI_INFO_NULL, comm, &window);
    MPI_Win_lock_all(0, window);
    MPI_Put(values, 4, MPI_DOUBLE, next, 0, 4, MPI_DOUBLE, window);
    MPI_Put(values, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, 4, MPI_DOUBLE, window);
    MPI_Win_flush_all(window);
    MPI_Get(before, 2, MPI_DOUBLE, next, 0, 2, MPI_DOUBLE, window);
    MPI_Accumulate(values, 3, MPI_DOUBLE, next, 8, 3, MPI_DOUBLE, MPI_SUM, window);
    MPI_Get_accumulate(values, 3, MPI_DOUBLE, before, 3, MPI_DOUBLE, next, 8, 3, MPI_DOUBLE, MPI_SUM, window);
    MPI_Fetch_and_op(values, before, MPI_DOUBLE, next, 15, MPI_SUM, window);
    MPI_Win_flush_all(window);
    MPI_Rput(values, 5, MPI_DOUBLE, next, 0, 5, MPI_DOUBLE, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc == 1) MPI_Win_free(&window);
    if (argc > 1 && (!unseen() || unseen()(&window) != 0)) return 1;
  }
  MPI_Comm_free(&turned);
  return MPI_Finalize();
}
