! dumps FILE: three dumps of 1000, 2000 and 3000 bytes, each in a phase, and 500 bytes outside of them.
program dumps
  use headrace
  implicit none
  character(4096) :: path
  character(3000) :: data = ' '
  integer :: unit, i
  call get_command_argument(1, path)
  open(newunit=unit, file=trim(path), access='stream', form='unformatted')
  write(unit) data(1:500)
  flush(unit)
  do i = 1, 3
    call headrace_phase_begin('dump')
    write(unit) data(1:1000 * i)
    flush(unit)
    call headrace_phase_end('dump')
  end do
  close(unit)
end program
