! Writes a dataset in two calls, reads it in one, through HDF5's Fortran interface.
program hdf5_calls
  use hdf5
  implicit none
  character(len=4096) :: path
  integer(hid_t) :: file, space, part, data, attribute
  integer(hsize_t), parameter :: all(1) = [200], half(1) = [100], none(1) = [0]
  integer :: error
  real(kind=8) :: values(200)

  call get_command_argument(1, path)
  values = 1.5d0
  call h5open_f(error)
  call h5fcreate_f(trim(path), H5F_ACC_TRUNC_F, file, error)
  call h5screate_simple_f(1, all, space, error)
  call h5screate_simple_f(1, half, part, error)
  call h5dcreate_f(file, "values", H5T_NATIVE_DOUBLE, space, data, error)
  call h5sselect_hyperslab_f(space, H5S_SELECT_SET_F, none, half, error)
  call h5dwrite_f(data, H5T_NATIVE_DOUBLE, values, half, error, part, space)
  call h5sselect_hyperslab_f(space, H5S_SELECT_SET_F, half, half, error)
  call h5dwrite_f(data, H5T_NATIVE_DOUBLE, values, half, error, part, space)
  call h5dread_f(data, H5T_NATIVE_DOUBLE, values, all, error)
  call h5acreate_f(data, "unit", H5T_NATIVE_DOUBLE, part, attribute, error)
  call h5awrite_f(attribute, H5T_NATIVE_DOUBLE, values, half, error)
  call h5aclose_f(attribute, error)
  call h5dclose_f(data, error)
  call h5sclose_f(part, error)
  call h5sclose_f(space, error)
  call h5fclose_f(file, error)
  call h5close_f(error)
  if (error /= 0) stop 1
end program
