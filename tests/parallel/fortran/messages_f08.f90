! A ring of messages, through use mpi_f08. Each rank sends five and receives five.
program messages_f08
  use mpi_f08
  implicit none

  integer :: ierr, rank, ranks, next, last, numbers(10), others(10), turn
  type(MPI_Status) :: statuses(2), one
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: half
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  next = modulo(rank + 1, ranks)
  last = modulo(rank - 1, ranks)
  do turn = 1, 2
    call MPI_Irecv(others, 10, MPI_INTEGER, MPI_ANY_SOURCE, turn, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(numbers, 10, MPI_INTEGER, next, turn, MPI_COMM_WORLD, requests(2), ierr)
    if (turn == 1) call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    if (turn == 2) call MPI_Waitall(2, requests, statuses, ierr)
  end do
  call MPI_Sendrecv(numbers, 9, MPI_INTEGER, next, 3, others, 10, MPI_INTEGER, last, 3, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
  call MPI_Irecv(others, 10, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Send(numbers, 8, MPI_INTEGER, next, 4, MPI_COMM_WORLD, ierr)
  call MPI_Wait(requests(1), one, ierr)
  if (one%MPI_SOURCE /= last .or. one%MPI_TAG /= 4) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, half, ierr)
  call MPI_Sendrecv(numbers, 7, MPI_INTEGER, modulo(ranks - rank, ranks), 5, others, 10, MPI_INTEGER, &
                    modulo(ranks - rank - 2, ranks), 5, half, one, ierr)
  call MPI_Comm_free(half, ierr)
  call MPI_Finalize(ierr)
end program
