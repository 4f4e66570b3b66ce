// A file in pages of 4 KiB, written and read through a page buffer of 64 KiB.
#include <hdf5.h>

int main(int argc, char** argv) {
  static int values[2000];
  const hsize_t size = 2000;
  if (argc != 2) return 2;
  const hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_PAGE, 0, 1);
  H5Pset_file_space_page_size(creation, 4096);
  H5Pset_page_buffer_size(access, 65536, 0, 0);
  const hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, creation, access);
  const hid_t space = H5Screate_simple(1, &size, NULL);
  const hid_t data = H5Dcreate2(file, "values", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (H5Dwrite(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) return 3;
  if (H5Dread(data, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) return 4;
  H5Dclose(data);
  H5Sclose(space);
  H5Pclose(creation);
  H5Pclose(access);
  return H5Fclose(file) < 0;
}
