! Phases: names for parts of a run, so that what a program reads and writes there is counted by itself.
!
!   use headrace
!   call headrace_phase_begin('dump')
!   call write_dump()
!   call headrace_phase_end('dump')
!
! Compile this file with the program; nothing has to be linked. Where the program is not traced, the calls do nothing.
! Blanks at the end of a name do not count. What phases are: see headrace/phases.h and docs/phases.md; the same holds here.
!
! In programs that are linked statically with Headrace nothing can be looked up: compile this file with -DHEADRACE_LINKED.
! On C libraries before glibc 2.34, dlsym is in -ldl.
module headrace
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: headrace_phase_begin, headrace_phase_end

  abstract interface
    subroutine tracer_call(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
  end interface

  interface
#ifdef HEADRACE_LINKED
    subroutine tracer_begin(name) bind(c, name='headrace_phase_begin')
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine tracer_end(name) bind(c, name='headrace_phase_end')
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
#else
    function dlsym(handle, symbol) bind(c, name='dlsym') result(address)
      import :: c_ptr, c_char, c_intptr_t
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: symbol(*)
      integer(c_intptr_t) :: address
    end function
#endif
  end interface

  ! Addresses of the tracer's functions: not_looked until the first call, then 0 where there is no tracer. Threads that
  ! look at the same time find the same.
  integer(c_intptr_t), parameter :: not_looked = -1
  integer(c_intptr_t), volatile :: begin_address = not_looked, end_address = not_looked

contains

  subroutine headrace_phase_begin(name)
    character(*), intent(in) :: name
    if (begin_address /= 0) call begin_in_tracer(name)
  end subroutine

  ! Without a name: the innermost phase that is open.
  subroutine headrace_phase_end(name)
    character(*), intent(in), optional :: name
    if (end_address /= 0) call end_in_tracer(name)
  end subroutine

  subroutine begin_in_tracer(name)
    character(*), intent(in) :: name
#ifdef HEADRACE_LINKED
    call tracer_begin(trim(name) // c_null_char)
#else
    procedure(tracer_call), pointer :: begin
    integer(c_intptr_t) :: address
    address = begin_address
    if (address == not_looked) address = dlsym(c_null_ptr, 'headrace_phase_begin' // c_null_char)
    begin_address = address
    if (address == 0) return
    call c_f_procpointer(transfer(address, c_null_funptr), begin)
    call begin(trim(name) // c_null_char)
#endif
  end subroutine

  subroutine end_in_tracer(name)
    character(*), intent(in), optional :: name
    character(kind=c_char), pointer :: innermost(:)
#ifndef HEADRACE_LINKED
    procedure(tracer_call), pointer :: tracer_end
    integer(c_intptr_t) :: address
    address = end_address
    if (address == not_looked) address = dlsym(c_null_ptr, 'headrace_phase_end' // c_null_char)
    end_address = address
    if (address == 0) return
    call c_f_procpointer(transfer(address, c_null_funptr), tracer_end)
#endif
    if (present(name)) then
      call tracer_end(trim(name) // c_null_char)
    else
      call c_f_pointer(c_null_ptr, innermost, [0])
      call tracer_end(innermost)
    end if
  end subroutine
end module
