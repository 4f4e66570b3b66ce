// Ranks that have no MPI_COMM_WORLD: a communicator of a session's processes.
#include <mpi.h>

int main(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm ranks;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "ranks", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &ranks);
  int rank, sent = 5, got = 0;
  MPI_Comm_rank(ranks, &rank);
  MPI_Sendrecv(&sent, 1, MPI_INT, rank, 0, &got, 1, MPI_INT, rank, 0, ranks, MPI_STATUS_IGNORE);
  MPI_Barrier(ranks);
  MPI_Group_free(&group);
  MPI_Comm_free(&ranks);
  MPI_Session_finalize(&session);
  return got != sent;
}
