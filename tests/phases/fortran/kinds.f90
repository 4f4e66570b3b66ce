! Every rank writes a file in a phase, the last one much more often, and asks for its cluster.
program kinds
  use mpi
  use headrace
  use headrace_clusters
  implicit none
  type(headrace_cluster) :: mine
  integer :: error, rank, ranks, i, file
  call ask('early', 'dump')
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call headrace_phase_begin('dump')
  open(newunit=file, status='scratch', form='unformatted', access='stream')
  do i = 1, merge(400, 2, rank == ranks - 1)
    write(file) i
    flush(file)
  end do
  close(file)
  call headrace_phase_end('dump')
  call ask('dump', 'dump  ')
  call ask('run', '')
  call MPI_Finalize(error)
contains
  subroutine ask(name, phase)
    character(*), intent(in) :: name, phase
    integer :: result
    call headrace_cluster_phase(phase, mine, result)
    if (len(headrace_cluster_error(result)) == 0) stop 1
    if (name == 'early') then
      if (result == 0 .or. mine%clusters /= 0) stop 2
      return
    end if
    write(*, '(a,11(1x,i0),1x,es24.16)') name, rank, result, mine%cluster, mine%clusters, mine%size, &
      mine%representative, mine%outlier, mine%missing, mine%ranks_missing, mine%outliers, mine%instance, mine%distance
  end subroutine
end program
