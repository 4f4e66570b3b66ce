program marks
  use, intrinsic :: iso_c_binding, only: c_int32_t
  use headrace_trace
  implicit none
  integer(c_int32_t), save :: solve = 0
  integer :: i
  do i = 1, 5
    call headrace_region_enter('solve   ', solve)
    call headrace_region_enter('inner')
    call headrace_counter('residual', 1.0d0 / i)
    call headrace_counter('i', i)
    call headrace_region_leave()
    call headrace_region_leave('solve', solve)
  end do
  call headrace_trace_pause()
  call headrace_region_enter('not seen')
  call headrace_region_leave('not seen')
  call headrace_trace_resume()
  call headrace_region_enter('seen')
  call headrace_region_leave('seen')
end program
