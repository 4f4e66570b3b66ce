// Messages and operations that are started in one call and completed in another. Each rank writes what it handed over
// or got, by the function where that counts: "rank function calls bytes".
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kFunctions = 32, kMost = 1000 };
static const char* names[kFunctions];
static long calls[kFunctions], bytes[kFunctions];
static int rank, ranks, other;
static char out[kMost * 4], in[kMost * 4];

static void tell(const char* function, long amount) {
  int i = 0;
  while (names[i] && strcmp(names[i], function) != 0) ++i;
  names[i] = function;
  ++calls[i];
  bytes[i] += amount;
}

static void receives(void) {
  MPI_Request requests[3];
  MPI_Status statuses[3];
  int index, done, indices[3], flag = 0;
  // More room than what comes; statuses wanted and not.
  for (int i = 0; i < 3; ++i) MPI_Irecv(in + i * kMost, kMost, MPI_BYTE, other, i, MPI_COMM_WORLD, requests + i);
  for (int i = 0; i < 3; ++i) MPI_Send(out, 10 + i, MPI_BYTE, other, i, MPI_COMM_WORLD), tell("Send", 10 + i);
  MPI_Wait(requests + 1, MPI_STATUS_IGNORE), tell("Wait", 11);
  MPI_Waitall(3, requests, statuses), tell("Waitall", 10 + 12);

  for (int i = 0; i < 2; ++i) MPI_Irecv(in, kMost, MPI_BYTE, other, 7, MPI_COMM_WORLD, requests + i);
  for (int i = 0; i < 2; ++i) MPI_Send(out, 20, MPI_BYTE, other, 7, MPI_COMM_WORLD), tell("Send", 20);
  MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE), tell("Waitany", 20);
  MPI_Waitsome(2, requests, &done, indices, MPI_STATUSES_IGNORE), tell("Waitsome", 20);

  MPI_Irecv(in, kMost, MPI_INT, other, 8, MPI_COMM_WORLD, requests);
  MPI_Send(out, 3, MPI_INT, other, 8, MPI_COMM_WORLD), tell("Send", 12);
  for (flag = 0; !flag;) MPI_Test(requests, &flag, MPI_STATUS_IGNORE), tell("Test", flag ? 12 : 0);
  // Of nobody, and one that is given up.
  MPI_Irecv(in, kMost, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, requests);
  MPI_Wait(requests, MPI_STATUS_IGNORE), tell("Wait", 0);
  MPI_Irecv(in, kMost, MPI_BYTE, other, 99, MPI_COMM_WORLD, requests);
  MPI_Cancel(requests);
  MPI_Wait(requests, statuses), tell("Wait", 0);
}

static void probes(void) {
  MPI_Message message;
  MPI_Request request;
  MPI_Send(out, 31, MPI_BYTE, other, 1, MPI_COMM_WORLD), tell("Send", 31);
  MPI_Mprobe(other, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE), tell("Mprobe", 0);
  MPI_Mrecv(in, kMost, MPI_BYTE, &message, MPI_STATUS_IGNORE), tell("Mrecv", 31);
  MPI_Send(out, 33, MPI_BYTE, other, 2, MPI_COMM_WORLD), tell("Send", 33);
  MPI_Mprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE), tell("Mprobe", 0);
  MPI_Imrecv(in, kMost, MPI_BYTE, &message, &request), tell("Imrecv", 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE), tell("Wait", 33);
}

static void persistent(void) {
  MPI_Request requests[2];
  MPI_Send_init(out, 40, MPI_BYTE, other, 3, MPI_COMM_WORLD, requests), tell("Send_init", 0);
  MPI_Recv_init(in, kMost, MPI_BYTE, other, 3, MPI_COMM_WORLD, requests + 1), tell("Recv_init", 0);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, requests), tell("Startall", 40);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), tell("Waitall", 40);
  }
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), tell("Waitall", 0);  // none of them is active
  MPI_Start(requests + 1), tell("Start", 0);
  MPI_Start(requests), tell("Start", 40);
  MPI_Wait(requests, MPI_STATUS_IGNORE), tell("Wait", 0);
  MPI_Wait(requests + 1, MPI_STATUS_IGNORE), tell("Wait", 40);
  for (int i = 0; i < 2; ++i) MPI_Request_free(requests + i);
}

static void exchanges(void) {
  MPI_Request request;
  MPI_Sendrecv(out, 5, MPI_BYTE, other, 4, in, 5, MPI_BYTE, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  tell("Sendrecv", 5);
  int counts[64], places[64], fewer[64];
  MPI_Datatype types[64];
  for (int i = 0; i < ranks; ++i) counts[i] = 2, fewer[i] = 1, places[i] = 8 * i, types[i] = MPI_INT;
  MPI_Alltoallw(out, counts, places, types, in, counts, places, types, MPI_COMM_WORLD), tell("Alltoallw", 8 * ranks);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 6, MPI_BYTE, MPI_COMM_WORLD), tell("Allgather", 6);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, in, fewer, places, MPI_INT, MPI_COMM_WORLD);
  tell("Alltoallv", 4 * ranks);
  MPI_Igather(out, 9, MPI_BYTE, in, 9, MPI_BYTE, 0, MPI_COMM_WORLD, &request), tell("Igather", 9);
  MPI_Wait(&request, MPI_STATUS_IGNORE), tell("Wait", 0);
}

#if MPI_VERSION >= 4
static void of_mpi_4(void) {
  MPI_Request request;
  MPI_Bcast_init(out, 50, MPI_BYTE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request), tell("Bcast_init", 0);
  for (int i = 0; i < 2; ++i) {
    MPI_Start(&request), tell("Start", 50);
    MPI_Wait(&request, MPI_STATUS_IGNORE), tell("Wait", 0);
  }
  MPI_Request_free(&request);
  MPI_Count counts[64];
  MPI_Aint places[64];
  for (int i = 0; i < ranks; ++i) counts[i] = 3, places[i] = 3 * i;
  MPI_Allgatherv_c(out, 3, MPI_BYTE, in, counts, places, MPI_BYTE, MPI_COMM_WORLD), tell("Allgatherv_c", 3);
  if (rank == 0)
    MPI_Psend_init(out, 4, 25, MPI_BYTE, other, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request), tell("Psend_init", 0);
  else
    MPI_Precv_init(in, 4, 25, MPI_BYTE, other, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request), tell("Precv_init", 0);
  MPI_Start(&request), tell("Start", rank == 0 ? 100 : 0);
  if (rank == 0) MPI_Pready_range(0, 3, request), tell("Pready_range", 0);
  MPI_Wait(&request, MPI_STATUS_IGNORE), tell("Wait", rank == 0 ? 0 : 100);
  MPI_Request_free(&request);
}
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  other = 1 - rank;
  receives();
  probes();
  persistent();
  exchanges();
#if MPI_VERSION >= 4
  of_mpi_4();
#endif
  for (int i = 0; i < kFunctions && names[i]; ++i) printf("%d %s %ld %ld\n", rank, names[i], calls[i], bytes[i]);
  return MPI_Finalize();
}
