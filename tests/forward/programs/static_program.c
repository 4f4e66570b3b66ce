// Writes, reads, lists, renames and maps files below a directory, without a C library that could be replaced.
#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int count, char** words) {
  assert(count == 2 && chdir(words[1]) == 0);
  FILE* file = fopen("part", "w");
  for (int i = 0; i < 100000; ++i) fprintf(file, "line %d\n", i);
  assert(fclose(file) == 0 && mkdir("directory", 0755) == 0 && rename("part", "directory/whole") == 0);
  int fd = open("directory/whole", O_RDWR);
  struct stat status;
  assert(fd >= 0 && fstat(fd, &status) == 0 && status.st_size == 1088890);
  char* map = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert(map != MAP_FAILED && memcmp(map, "line 0\n", 7) == 0);
  memcpy(map, "LINE", 4);
  char read_back[5] = "";
  assert(pread(fd, read_back, 4, 0) == 4 && strcmp(read_back, "LINE") == 0);
  assert(munmap(map, (size_t)status.st_size) == 0 && close(fd) == 0);
  DIR* directory = opendir("directory");
  int entries = 0;
  while (readdir(directory) != NULL) ++entries;
  closedir(directory);
  printf("%d %ld\n", entries, (long)status.st_size);
  return 0;
}
