! Fortran: field DIRECTORY
module field_io
contains
  subroutine write_field(path)
    character(len=*), intent(in) :: path
    open(unit=10, file=path, form='unformatted', access='stream') ! LINE: open
    write(10) 1.0d0, 2.0d0
    close(10)
  end subroutine
end module

program field
  use field_io
  character(len=4096) :: directory
  call get_command_argument(1, directory)
  call write_field(trim(directory)//'/field')
end program
