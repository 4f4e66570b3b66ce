// Messages of every kind between ranks, each of which the program counts by itself: at the end each rank prints how
// many it sent and received, and of how many bytes.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, next, last;
static long sends, receives, bytes_sent, bytes_received;
static char from[4096], into[4096];

static void sent(int count) { sends++, bytes_sent += count; }
static void received(int count) { receives++, bytes_received += count; }

static void blocking(MPI_Comm comm) {
  int (*const ways[])(const void*, int, MPI_Datatype, int, int, MPI_Comm) = {MPI_Send, MPI_Bsend, MPI_Ssend, MPI_Rsend};
  static char room[8192];
  MPI_Buffer_attach(room, sizeof room);
  for (int way = 0; way < 4; ++way) {
    MPI_Request request;
    MPI_Irecv(into, 100, MPI_CHAR, last, way, comm, &request);
    MPI_Barrier(comm);  // a ready send needs its receive
    ways[way](from, 10 + way, MPI_CHAR, next, way, comm);
    sent(10 + way);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    received(10 + way);
  }
  void* taken;
  int size;
  MPI_Buffer_detach(&taken, &size);
  if (rank % 2 == 0) {
    MPI_Send(from, 3, MPI_DOUBLE, next, 17, comm);
    sent(24);
  }
  if (last % 2 == 0) {
    MPI_Status status;
    MPI_Recv(into, 100, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    received(24);
    if (status.MPI_SOURCE != last || status.MPI_TAG != 17) MPI_Abort(comm, 3);
  }
  MPI_Sendrecv(from, 5, MPI_INT, next, 21, into, 100, MPI_INT, last, 21, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(into, 6, MPI_INT, next, 22, last, 22, comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv(from, 5, MPI_INT, MPI_PROC_NULL, 21, into, 100, MPI_INT, MPI_PROC_NULL, 21, comm, MPI_STATUS_IGNORE);
  sent(20), sent(24), received(20), received(24);
  MPI_Send(from, 8, MPI_INT, MPI_PROC_NULL, 1, comm);
  MPI_Recv(into, 8, MPI_INT, MPI_PROC_NULL, 1, comm, MPI_STATUS_IGNORE);
  MPI_Send(from, 0, MPI_INT, rank, 1, comm);
  sent(0);
  MPI_Recv(into, 0, MPI_INT, rank, 1, comm, MPI_STATUS_IGNORE);
  received(0);
}

enum { kMany = 70 };  // more than have a place on a stack

static void completions(MPI_Comm comm) {
  MPI_Request requests[2 * kMany];
  MPI_Status statuses[2 * kMany];
  int indices[2 * kMany], done, flag, index;
  for (int way = 0; way < 8; ++way) {
    const int tag = 100 * way;
    for (int i = 0; i < kMany; ++i) {
      const int peer_into = i % 7 == 3 ? MPI_PROC_NULL : i % 2 ? MPI_ANY_SOURCE : last;
      const int peer_to = i % 7 == 3 ? MPI_PROC_NULL : next;
      MPI_Irecv(into, 100, MPI_CHAR, peer_into, tag + i, comm, &requests[2 * i]);
      MPI_Isend(from, i, MPI_CHAR, peer_to, tag + i, comm, &requests[2 * i + 1]);
      if (peer_to != MPI_PROC_NULL) sent(i), received(i);
    }
    int left = 2 * kMany;
    if (way == 0) {
      for (int i = 0; i < 2 * kMany; ++i) MPI_Wait(&requests[i], i % 2 ? MPI_STATUS_IGNORE : &statuses[0]);
    } else if (way == 1) {
      MPI_Waitall(2 * kMany, requests, MPI_STATUSES_IGNORE);
    } else if (way == 2) {
      MPI_Waitall(2 * kMany, requests, statuses);
    } else if (way == 3) {
      for (; left > 0; --left) MPI_Waitany(2 * kMany, requests, &index, left % 2 ? MPI_STATUS_IGNORE : &statuses[0]);
    } else if (way == 4) {
      for (; left > 0; left -= done)
        MPI_Waitsome(2 * kMany, requests, &done, indices, left % 2 ? statuses : MPI_STATUSES_IGNORE);
    } else if (way == 5) {
      for (int i = 0; i < 2 * kMany; ++i)
        for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    } else if (way == 6) {
      for (flag = 0; !flag;) MPI_Testall(2 * kMany, requests, &flag, MPI_STATUSES_IGNORE);
    } else {
      while (left > 0) {
        MPI_Testsome(kMany, requests, &done, indices, MPI_STATUSES_IGNORE);
        if (done > 0) left -= done;
        MPI_Testany(kMany, requests + kMany, &index, &flag, MPI_STATUS_IGNORE);
        left -= flag && index != MPI_UNDEFINED;
      }
    }
    for (int i = 0; i < 2 * kMany; ++i)
      if (requests[i] != MPI_REQUEST_NULL) MPI_Abort(comm, 4);
    MPI_Barrier(comm);
  }
}

static void persistent(MPI_Comm comm) {
  MPI_Request requests[5];
  MPI_Recv_init(into, 100, MPI_CHAR, last, 31, comm, &requests[0]);
  MPI_Send_init(from, 50, MPI_CHAR, next, 31, comm, &requests[1]);
  MPI_Recv_init(into + 1000, 100, MPI_CHAR, MPI_ANY_SOURCE, 32, comm, &requests[2]);
  MPI_Ssend_init(from, 60, MPI_CHAR, next, 32, comm, &requests[3]);
  MPI_Recv_init(into, 100, MPI_CHAR, MPI_PROC_NULL, 33, comm, &requests[4]);
  MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);  // none is active
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, requests);
    MPI_Start(&requests[2]), MPI_Start(&requests[3]), MPI_Start(&requests[4]);
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    sent(50), sent(60), received(50), received(60);
  }
  for (int i = 0; i < 5; ++i) MPI_Request_free(&requests[i]);
}

static void probed(MPI_Comm comm) {
  MPI_Message message;
  MPI_Request request;
  MPI_Status status;
  int flag = 0;
  MPI_Isend(from, 70, MPI_CHAR, next, 41, comm, &request);
  MPI_Mprobe(MPI_ANY_SOURCE, 41, comm, &message, &status);
  MPI_Mrecv(into, 100, MPI_CHAR, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Isend(from, 80, MPI_CHAR, next, 42, comm, &request);
  while (!flag) MPI_Improbe(last, MPI_ANY_TAG, comm, &flag, &message, MPI_STATUS_IGNORE);
  MPI_Request other;
  MPI_Imrecv(into, 100, MPI_CHAR, &message, &other);
  MPI_Wait(&other, &status);
  if (status.MPI_TAG != 42) MPI_Abort(comm, 5);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Isend(from, 90, MPI_CHAR, next, 43, comm, &request);
  MPI_Probe(last, 43, comm, &status);
  MPI_Recv(into, 100, MPI_CHAR, last, 43, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  sent(70), sent(80), sent(90), received(70), received(80), received(90);
}

static void cancelled(MPI_Comm comm) {
  MPI_Request request;
  MPI_Irecv(into, 100, MPI_CHAR, last, 51, comm, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// The same ring with other communicators: each has a neighbour of its own.
static void derived(void) {
  MPI_Comm half, named, grid, turned, inter;
  const int whole_next = next, whole_last = last, whole_rank = rank;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_dup(MPI_COMM_WORLD, &named);
  MPI_Comm_set_name(named, "halo exchange");
  blocking(named);
  const int periods[1] = {1}, size[1] = {ranks};
  MPI_Cart_create(MPI_COMM_WORLD, 1, size, periods, 0, &grid);
  probed(grid);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  MPI_Comm_rank(turned, &rank);
  next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  persistent(turned);
  int halves;
  MPI_Comm_rank(half, &rank);
  MPI_Comm_size(half, &halves);
  next = (rank + 1) % halves, last = (rank + halves - 1) % halves;
  for (int i = 0; i < 2; ++i) {  // one after the other: what is freed may be given again
    MPI_Comm again;
    MPI_Comm_dup(half, &again);
    probed(again);
    MPI_Comm_free(&again);
  }
#ifdef OPEN_MPI  // MPICH 4.0.2 crashes in it
  MPI_Comm group_made;
  MPI_Group group;
  MPI_Comm_group(half, &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &group_made);
  probed(group_made);
  MPI_Group_free(&group);
  MPI_Comm_free(&group_made);
#endif
  rank = whole_rank, next = whole_next, last = whole_last;
  if (ranks > 1) {
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? (ranks - 1) / 2 * 2 : (ranks / 2) * 2 - 1, 9, &inter);
    int in_half, others;
    MPI_Comm_rank(inter, &in_half);
    MPI_Comm_remote_size(inter, &others);
    if (in_half < others) {
      MPI_Sendrecv(from, 11, MPI_CHAR, in_half, 61, into, 100, MPI_CHAR, in_half, 61, inter, MPI_STATUS_IGNORE);
      sent(11), received(11);
    }
    MPI_Comm_free(&inter);
  }
  MPI_Comm_free(&half), MPI_Comm_free(&named), MPI_Comm_free(&grid), MPI_Comm_free(&turned);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  const char* what = argc > 1 ? argv[1] : "all";
  if (strcmp(what, "all") == 0) {
    blocking(MPI_COMM_WORLD);
    completions(MPI_COMM_WORLD);
    persistent(MPI_COMM_WORLD);
    probed(MPI_COMM_WORLD);
    cancelled(MPI_COMM_WORLD);
    derived();
  } else if (strcmp(what, "unreceived") == 0) {  // the last rank never takes what it was sent
    if (rank == 0) MPI_Send(from, 4, MPI_CHAR, ranks - 1, 1, MPI_COMM_WORLD), sent(4);
  } else if (strcmp(what, "freed") == 0) {  // nobody hears of the receive's end
    MPI_Request request;
    MPI_Irecv(into, 4, MPI_CHAR, last, 1, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Ssend(from, 4, MPI_CHAR, next, 1, MPI_COMM_WORLD), sent(4);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  char line[100];
  const int length =
      snprintf(line, sizeof line, "%d %ld %ld %ld %ld\n", rank, sends, bytes_sent, receives, bytes_received);
  if (fwrite(line, 1, (size_t)length, stdout) != (size_t)length) return 1;
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
