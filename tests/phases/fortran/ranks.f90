! Every rank is in a phase while it talks to the others.
program ranks
  use mpi
  use headrace
  implicit none
  integer :: error, rank
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call headrace_phase_begin('exchange')
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call headrace_phase_end('exchange')
  call MPI_Finalize(error)
end program
