// What a trace has of collective operations: the root, and the bytes that this rank puts in and gets out, whether in
// place or not. Of a nonblocking one, when the call that starts it is over.
//
// One function for each operation, of its own arguments (mpi.def).
#pragma once
#include "capture/recorder/mpi_communicators.h"

namespace headrace::capture::mpi {

struct Together {
  Communicator* over;  // null: not known
  uint32_t root;       // in MPI_COMM_WORLD
  uint64_t put_in, got_out;
  void record(Timed time, uint64_t) const;
};

/// An operation that no rank leaves before all have come to it.
struct Meeting : Together {
  Handle met_over;
};
inline Meeting meeting(const Together& together, Handle comm) { return {together, comm}; }

Together barrier(Handle comm);
Together bcast(int64_t count, Handle type, int root, Handle comm);
Together gather(Buffer buffer, int64_t count, Handle type, int64_t room, Handle into_type, int root, Handle comm);
Together gatherv(Buffer buffer, int64_t count, Handle type, Counts rooms, Handle into_type, int root, Handle comm);
Together scatter(int64_t count, Handle type, Buffer into, int64_t room, Handle into_type, int root, Handle comm);
Together scatterv(Counts counts, Handle type, Buffer into, int64_t room, Handle into_type, int root, Handle comm);
Together allgather(Buffer buffer, int64_t count, Handle type, int64_t room, Handle into_type, Handle comm);
Together allgatherv(Buffer buffer, int64_t count, Handle type, Counts rooms, Handle into_type, Handle comm);
Together alltoall(Buffer buffer, int64_t count, Handle type, int64_t room, Handle into_type, Handle comm);
Together alltoallv(Buffer buffer, Counts counts, Handle type, Counts rooms, Handle into_type, Handle comm);
Together alltoallw(Buffer buffer, Counts counts, Types types, Counts rooms, Types into_types, Handle comm);
Together neighbor_allgather(int64_t count, Handle type, int64_t room, Handle into_type, Handle comm);
Together neighbor_allgatherv(int64_t count, Handle type, Counts rooms, Handle into_type, Handle comm);
Together neighbor_alltoall(int64_t count, Handle type, int64_t room, Handle into_type, Handle comm);
Together neighbor_alltoallv(Counts counts, Handle type, Counts rooms, Handle into_type, Handle comm);
Together neighbor_alltoallw(Counts counts, Types types, Counts rooms, Types into_types, Handle comm);
Together reduce(int64_t count, Handle type, int root, Handle comm);
Together allreduce(int64_t count, Handle type, Handle comm);
Together exscan(int64_t count, Handle type, Handle comm);
Together reduce_scatter(Counts rooms, Handle type, Handle comm);
Together reduce_scatter_block(int64_t room, Handle type, Handle comm);

}  // namespace headrace::capture::mpi
