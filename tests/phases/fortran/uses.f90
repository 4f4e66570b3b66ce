! Marks phases alone, nested, in threads and by names with blanks; also ends the innermost.
program uses
  use headrace
  implicit none
  character(16) :: name = 'padded'
  integer :: i
  call headrace_phase_begin(name)
  call headrace_phase_begin('two words')
  call headrace_phase_end()
  call headrace_phase_end(name)
  !$omp parallel do
  do i = 1, 4
    call headrace_phase_begin('thread')
    call headrace_phase_end('thread')
  end do
end program
