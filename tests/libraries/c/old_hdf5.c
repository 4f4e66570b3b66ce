/* As a library (-DLIBRARY): what a program would see of HDF5 1.8, whose ids have 32 bits. Else a program that uses it.
 */
#include <stdio.h>

#ifdef LIBRARY
int H5open(void) { return 0; }
int H5get_libversion(unsigned* major, unsigned* minor, unsigned* release) {
  *major = 1;
  *minor = 8;
  *release = 23;
  return 0;
}
int H5Fopen(const char* name, unsigned flags, int access) {
  printf("open %s %u %d\n", name, flags, access);
  return 0x1000001;
}
int H5Fclose(int file) {
  printf("close %x\n", (unsigned)file);
  return H5open();
}
#else
int H5Fopen(const char* name, unsigned flags, int access);
int H5Fclose(int file);
int main(void) { return H5Fclose(H5Fopen("x.h5", 1, 2)); }
#endif
