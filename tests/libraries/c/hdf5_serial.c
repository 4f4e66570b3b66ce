/* Files and datasets of HDF5 in known amounts; prints what a reader of its file would see. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                        \
  if ((call) < 0) {                        \
    fprintf(stderr, "%s failed\n", #call); \
    exit(1);                               \
  }

static herr_t count_link(hid_t group, const char* name, const H5L_info_t* info, void* data) {
  (void)info;
  /* A call of HDF5 from a function that HDF5 calls. */
  if (H5Lexists(group, name, H5P_DEFAULT) > 0) ++*(int*)data;
  return 0;
}

static void rows(hid_t file) {
  hsize_t size[2] = {100, 50}, one[2] = {1, 50}, part[2] = {4, 10};
  double row[50];
  for (int i = 0; i < 50; ++i) row[i] = i * 0.5;
  hid_t space = H5Screate_simple(2, size, NULL), memory = H5Screate_simple(2, one, NULL);
  hid_t group = H5Gcreate2(file, "fields", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  CHECK(H5Pset_obj_track_times(list, 0)); /* so that two runs write the same file */
  hid_t set = H5Dcreate2(group, "rows", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT);
  CHECK(set);
  H5Pclose(list);
  for (hsize_t i = 0; i < 100; ++i) { /* 100 writes of 400 bytes, each in one piece */
    hsize_t start[2] = {i, 0};
    CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, one, NULL));
    CHECK(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, row));
  }
  hsize_t start[2] = {3, 7};
  float few[40];
  hid_t few_space = H5Screate_simple(2, part, NULL);
  CHECK(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, part, NULL));
  for (int i = 0; i < 3; ++i) /* 3 reads of 160 bytes, each in four pieces */
    CHECK(H5Dread(set, H5T_NATIVE_FLOAT, few_space, space, H5P_DEFAULT, few));
  printf("few %g %g\n", few[0], few[39]);
  double* all = malloc(5000 * sizeof *all);
  CHECK(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all)); /* 40000 bytes */
  printf("all %g\n", all[4999]);
  free(all);
  H5Sclose(few_space);
  H5Sclose(memory);
  H5Sclose(space);
  CHECK(H5Dclose(set));
  CHECK(H5Gclose(group));
}

static void chunks(hid_t file) {
  hsize_t size[1] = {1000}, most[1] = {H5S_UNLIMITED}, chunk[1] = {250}, larger[1] = {2000};
  int values[1000];
  for (int i = 0; i < 1000; ++i) values[i] = i;
  hid_t space = H5Screate_simple(1, size, most), list = H5Pcreate(H5P_DATASET_CREATE);
  CHECK(H5Pset_obj_track_times(list, 0));
  CHECK(H5Pset_chunk(list, 1, chunk));
  CHECK(H5Pset_shuffle(list));
  CHECK(H5Pset_deflate(list, 4));
  hid_t set = H5Dcreate2(file, "chunks", H5T_NATIVE_INT, space, H5P_DEFAULT, list, H5P_DEFAULT);
  CHECK(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values)); /* 4000 bytes */
  CHECK(H5Dset_extent(set, larger));
  H5Pclose(list);
  H5Sclose(space);
  CHECK(H5Dclose(set));
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  CHECK(H5Pset_alignment(access, 1024, 4096));
  hid_t file = H5Fcreate(arguments[1], H5F_ACC_TRUNC, H5P_DEFAULT, access);
  CHECK(file);
  H5Pclose(access);
  rows(file);
  chunks(file);
  int version = 3;
  hid_t scalar = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(file, "version", H5T_NATIVE_INT, scalar, H5P_DEFAULT, H5P_DEFAULT);
  CHECK(H5Awrite(attribute, H5T_NATIVE_INT, &version));
  H5Aclose(attribute);
  H5Sclose(scalar);
  CHECK(H5Fflush(file, H5F_SCOPE_GLOBAL));
  CHECK(H5Fclose(file));

  file = H5Fopen(arguments[1], H5F_ACC_RDONLY, H5P_DEFAULT);
  int links = 0;
  CHECK(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, NULL, count_link, &links));
  printf("links %d\n", links);
  hid_t set = H5Dopen2(file, "/chunks", H5P_DEFAULT);
  /* This fails: its errors are the program's to see, as if nothing had been asked of HDF5 in between. */
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  double value;
  herr_t failed = H5Dread(set, 7, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value);
  printf("failed %d, errors %d\n", failed, H5Eget_num(H5E_DEFAULT) > 0);
  hid_t missing = H5Fopen("/nonexistent/file.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
  printf("missing %d, errors %d\n", missing < 0, H5Eget_num(H5E_DEFAULT) > 0);
  CHECK(H5Dclose(set));
  CHECK(H5Fclose(file));
  return 0;
}
