! Regions and counters of a program in its event trace (headrace run --trace).
!
!   use headrace_trace
!   call headrace_region_enter('solve')
!   call solve()
!   call headrace_region_leave('solve')
!   call headrace_counter('residual', residual)
!
! Compile this file with the program; nothing has to be linked. Where no events are recorded, the calls do nothing.
! Blanks at the end of a name do not count. Where a region is entered millions of times, give a variable that keeps
! what was looked up: integer(c_int32_t), save :: solve = 0, call headrace_region_enter('solve', solve). What holds for
! headrace/trace.h holds here; see docs/regions.md.
!
! In programs that are linked statically with Headrace nothing can be looked up: compile this file with -DHEADRACE_LINKED.
! On C libraries before glibc 2.34, dlsym is in -ldl.
module headrace_trace
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: headrace_region_enter, headrace_region_leave, headrace_counter, headrace_trace_pause, headrace_trace_resume

  type, bind(c) :: recorder_calls ! headrace_trace_calls of headrace/trace.h
    integer(c_size_t) :: size
    type(c_funptr) :: region, enter, leave, counter, count, record
  end type

  abstract interface
    function find_recorder() bind(c) result(calls)
      import :: c_ptr
      type(c_ptr) :: calls
    end function
    function look_up(name) bind(c) result(number)
      import :: c_char, c_int32_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int32_t) :: number
    end function
    subroutine of_number(number) bind(c)
      import :: c_int32_t
      integer(c_int32_t), value :: number
    end subroutine
    subroutine of_value(number, counted) bind(c)
      import :: c_int32_t, c_double
      integer(c_int32_t), value :: number
      real(c_double), value :: counted
    end subroutine
  end interface

  interface headrace_counter
    module procedure count_real, count_double, count_integer, count_long
  end interface

  interface
#ifdef HEADRACE_LINKED
    function linked_recorder() bind(c, name='headrace_trace_recorder') result(calls)
      import :: c_ptr
      type(c_ptr) :: calls
    end function
#else
    function dlsym(handle, symbol) bind(c, name='dlsym') result(address)
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: symbol(*)
      type(c_funptr) :: address
    end function
#endif
  end interface

  ! Address of the recorder's calls: not_looked until the first call, then 0 where no events are recorded. Threads that
  ! look at the same time find the same.
  integer(c_intptr_t), parameter :: not_looked = -1
  integer(c_intptr_t), volatile :: known = not_looked

contains

  subroutine headrace_region_enter(name, number)
    character(*), intent(in) :: name
    integer(c_int32_t), intent(inout), optional :: number ! 0 at first
    type(recorder_calls), pointer :: calls
    procedure(of_number), pointer :: enter
    if (known == 0) return
    if (.not. recorder(calls)) return
    call c_f_procpointer(calls%enter, enter)
    call enter(number_of(calls%region, name, number))
  end subroutine

  ! Without a name: the innermost region that is open.
  subroutine headrace_region_leave(name, number)
    character(*), intent(in), optional :: name
    integer(c_int32_t), intent(inout), optional :: number
    type(recorder_calls), pointer :: calls
    procedure(of_number), pointer :: leave
    integer(c_int32_t) :: left
    if (known == 0) return
    if (.not. recorder(calls)) return
    call c_f_procpointer(calls%leave, leave)
    left = 0
    if (present(name)) then
      left = number_of(calls%region, name, number)
      if (left == 0) return
    end if
    call leave(left)
  end subroutine

  subroutine count_double(name, value, number)
    character(*), intent(in) :: name
    real(c_double), intent(in) :: value
    integer(c_int32_t), intent(inout), optional :: number
    type(recorder_calls), pointer :: calls
    procedure(of_value), pointer :: set
    if (known == 0) return
    if (.not. recorder(calls)) return
    call c_f_procpointer(calls%count, set)
    call set(number_of(calls%counter, name, number), value)
  end subroutine

  subroutine count_real(name, value, number)
    character(*), intent(in) :: name
    real(c_float), intent(in) :: value
    integer(c_int32_t), intent(inout), optional :: number
    call count_double(name, real(value, c_double), number)
  end subroutine

  subroutine count_integer(name, value, number)
    character(*), intent(in) :: name
    integer(c_int32_t), intent(in) :: value
    integer(c_int32_t), intent(inout), optional :: number
    call count_double(name, real(value, c_double), number)
  end subroutine

  subroutine count_long(name, value, number)
    character(*), intent(in) :: name
    integer(c_int64_t), intent(in) :: value
    integer(c_int32_t), intent(inout), optional :: number
    call count_double(name, real(value, c_double), number)
  end subroutine

  ! From here on no thread of this process has its calls and regions recorded.
  subroutine headrace_trace_pause()
    call switch_recording(0_c_int32_t)
  end subroutine

  subroutine headrace_trace_resume()
    call switch_recording(1_c_int32_t)
  end subroutine

  subroutine switch_recording(on)
    integer(c_int32_t), intent(in) :: on
    type(recorder_calls), pointer :: calls
    procedure(of_number), pointer :: switch
    if (known == 0) return
    if (.not. recorder(calls)) return
    call c_f_procpointer(calls%record, switch)
    call switch(on)
  end subroutine

  ! False: no events are recorded.
  logical function recorder(calls)
    type(recorder_calls), pointer, intent(out) :: calls
    type(c_ptr) :: found
    integer(c_intptr_t) :: address
#ifndef HEADRACE_LINKED
    procedure(find_recorder), pointer :: find
    type(c_funptr) :: symbol
#endif
    address = known
    if (address == not_looked) then
#ifdef HEADRACE_LINKED
      found = linked_recorder()
#else
      found = c_null_ptr
      symbol = dlsym(c_null_ptr, 'headrace_trace_recorder' // c_null_char)
      if (c_associated(symbol)) then
        call c_f_procpointer(symbol, find)
        found = find()
      end if
#endif
      address = transfer(found, address)
      known = address
    end if
    recorder = address /= 0
    nullify(calls)
    if (recorder) call c_f_pointer(transfer(address, c_null_ptr), calls)
  end function

  integer(c_int32_t) function number_of(find, name, number)
    type(c_funptr), intent(in) :: find
    character(*), intent(in) :: name
    integer(c_int32_t), intent(inout), optional :: number
    procedure(look_up), pointer :: ask
    number_of = 0
    if (present(number)) number_of = number
    if (number_of /= 0) return
    call c_f_procpointer(find, ask)
    number_of = ask(trim(name) // c_null_char)
    if (present(number)) number = number_of
  end function
end module
