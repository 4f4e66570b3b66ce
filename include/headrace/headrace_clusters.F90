! Groups of ranks, while the program runs: which kind of behaviour this rank shows in a phase, and whether it is like no
! other.
!
!   use headrace_clusters
!   type(headrace_cluster) :: mine
!   integer :: error
!   call headrace_cluster_phase('dump', mine, error)       every rank of MPI_COMM_WORLD calls it
!   if (error /= 0) then
!     print *, headrace_cluster_error(error)
!   else if (mine%outlier /= 0) then
!     print *, 'rank', rank, 'is slow or odd'
!   end if
!
! Compile this file with the program; nothing has to be linked. Where the program is not traced, error is
! HEADRACE_CLUSTER_NOT_TRACED, also in programs that are linked statically with Headrace (-DHEADRACE_LINKED). Collective:
! headrace/clusters.h says what holds, and what the numbers are; see docs/clustering.md.
module headrace_clusters
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: headrace_cluster_phase, headrace_cluster_error

  ! As in headrace/clusters.h. Ranks and clusters begin with 0; what is 1 or 0 there is so here.
  type, bind(c), public :: headrace_cluster
    integer(c_int) :: cluster = 0, clusters = 0, size = 0, representative = 0, outlier = 0, missing = 0
    integer(c_int) :: ranks_missing = 0, outliers = 0
    integer(c_long) :: instance = 0
    real(c_double) :: distance = 0
  end type

  integer, parameter, public :: HEADRACE_CLUSTER_FOUND = 0, HEADRACE_CLUSTER_NOT_TRACED = 1, HEADRACE_CLUSTER_NO_MPI = 2
  integer, parameter, public :: HEADRACE_CLUSTER_UNKNOWN_MPI = 3, HEADRACE_CLUSTER_SOME_UNTRACED = 4
  integer, parameter, public :: HEADRACE_CLUSTER_DIFFERENT = 5, HEADRACE_CLUSTER_NO_PHASE = 6
  integer, parameter, public :: HEADRACE_CLUSTER_NOTHING_DONE = 7, HEADRACE_CLUSTER_NO_ANSWER = 8
  integer, parameter, public :: HEADRACE_CLUSTER_FAILED = 9

#ifndef HEADRACE_LINKED
  abstract interface
    function tracer_call(name, mine) bind(c) result(error)
      import :: c_ptr, c_int, headrace_cluster
      type(c_ptr), value :: name
      type(headrace_cluster), intent(inout) :: mine
      integer(c_int) :: error
    end function
  end interface

  interface
    function dlsym(handle, symbol) bind(c, name='dlsym') result(address)
      import :: c_ptr, c_char, c_funptr
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: symbol(*)
      type(c_funptr) :: address
    end function
  end interface
#endif

contains

  ! Clusters the ranks by what each did in its latest finished instance of the phase: names of the phase and of those
  ! around it, such as 'step/dump'; blanks at its end do not count. An empty name: in the whole run so far.
  subroutine headrace_cluster_phase(phase, mine, error)
    character(*), intent(in) :: phase
    type(headrace_cluster), intent(out) :: mine
    integer, intent(out) :: error
#ifdef HEADRACE_LINKED
    mine = headrace_cluster()
    error = merge(HEADRACE_CLUSTER_NOT_TRACED, HEADRACE_CLUSTER_NOT_TRACED, len(phase) > 0)
#else
    procedure(tracer_call), pointer :: tracer
    character(kind=c_char), target :: name(len_trim(phase) + 1)
    type(c_funptr) :: address
    integer :: i
    mine = headrace_cluster()
    error = HEADRACE_CLUSTER_NOT_TRACED
    address = dlsym(c_null_ptr, 'headrace_cluster_phase' // c_null_char)
    if (.not. c_associated(address)) return
    call c_f_procpointer(address, tracer)
    do i = 1, len_trim(phase)
      name(i) = phase(i:i)
    end do
    name(size(name)) = c_null_char
    if (size(name) > 1) then
      error = tracer(c_loc(name), mine)
    else
      error = tracer(c_null_ptr, mine)
    end if
#endif
  end subroutine

  ! An error in words.
  function headrace_cluster_error(error) result(text)
    integer, intent(in) :: error
    character(:), allocatable :: text
    select case (error)
    case (HEADRACE_CLUSTER_FOUND)
      text = 'clusters were found'
    case (HEADRACE_CLUSTER_NOT_TRACED)
      text = 'this process is not traced by Headrace'
    case (HEADRACE_CLUSTER_NO_MPI)
      text = 'MPI is not initialised, or finalised'
    case (HEADRACE_CLUSTER_UNKNOWN_MPI)
      text = 'Headrace does not know this MPI library'
    case (HEADRACE_CLUSTER_SOME_UNTRACED)
      text = 'not all ranks are traced by Headrace'
    case (HEADRACE_CLUSTER_DIFFERENT)
      text = 'ranks asked for clusters of different phases'
    case (HEADRACE_CLUSTER_NO_PHASE)
      text = 'no rank has finished such a phase'
    case (HEADRACE_CLUSTER_NOTHING_DONE)
      text = 'no rank called a traced function: there is nothing to cluster by'
    case (HEADRACE_CLUSTER_NO_ANSWER)
      text = 'another rank did not come in time'
    case (HEADRACE_CLUSTER_FAILED)
      text = 'no memory, or a part of Headrace is missing'
    case default
      text = 'no result of headrace_cluster_phase'
    end select
  end function
end module
