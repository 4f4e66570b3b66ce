! The same calls as its siblings, through use mpi_f08.
program calls_f08
  use mpi_f08
  implicit none
  integer :: ierr, rank, ranks
  integer(kind=MPI_OFFSET_KIND) :: place
  integer :: numbers(10)
  double precision :: mine, total
  character(len=4096) :: path
  type(MPI_File) :: file
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  numbers = rank
  mine = rank
  call MPI_Bcast(numbers, 10, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0) call MPI_Send(numbers, 10, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
  if (rank == 1) call MPI_Recv(numbers, 10, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call get_command_argument(1, path)
  call MPI_File_open(MPI_COMM_WORLD, trim(path), MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file, ierr)
  place = rank * 40
  call MPI_File_write_at(file, place, numbers, 10, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_write_at_all(file, place + ranks * 40, numbers, 10, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call MPI_File_close(file, ierr)
  call MPI_Finalize(ierr)
end program
