// Cures Debian's mpy, which hangs with three or more ranks.
//
// It asks MPI_Probe for a message of any rank, makes room for that one, and then has MPI_Recv take any message: with
// two senders it may be the other's. Yorick's sources were corrected in 2019; here MPI_Recv takes the message of the
// last probe.
//
//   mpicc.openmpi -shared -fPIC -O2 -o mpy_recv.so mpy_recv.c
//   LD_PRELOAD=$PWD/mpy_recv.so mpirun.openmpi -np 4 mpy.openmpi -batch program.i
#include <mpi.h>

static struct {
  MPI_Comm comm;
  int source, tag, there;
} probed;

static void remember(MPI_Comm comm, const MPI_Status* status) {
  probed.comm = comm;
  probed.source = status->MPI_SOURCE;
  probed.tag = status->MPI_TAG;
  probed.there = 1;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int error = PMPI_Probe(source, tag, comm, status);
  if (error == MPI_SUCCESS) remember(comm, status);
  return error;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* found, MPI_Status* status) {
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int error = PMPI_Iprobe(source, tag, comm, found, status);
  if (error == MPI_SUCCESS && *found) remember(comm, status);
  return error;
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  if (probed.there && comm == probed.comm && source == MPI_ANY_SOURCE) {
    source = probed.source;
    if (tag == MPI_ANY_TAG) tag = probed.tag;
  }
  probed.there = 0;
  return PMPI_Recv(data, count, type, source, tag, comm, status);
}
