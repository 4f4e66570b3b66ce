// What IOR and mdtest do, with every byte and name checked: files that ranks share or have for themselves, written
// through views, in pieces and whole, and read by other ranks than those that wrote; directories full of files that one
// rank makes and another one looks at, renames and removes. Says what failed.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kSide = 64, kBlocks = 30, kBlock = 47008, kFiles = 25 };

static int rank, ranks;
static const char* at;

static void check(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "rank %d: %s: %s\n", rank, what, strerror(errno));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static char* path_of(const char* format, int number) {
  static char path[2][4200];
  static int turn;
  char name[100];
  turn = !turn;
  snprintf(name, sizeof name, format, number);
  snprintf(path[turn], sizeof path[turn], "%s/%s", at, name);
  return path[turn];
}

static void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

/// A square of which each rank has a part, in rows shorter than the square's: written by independent calls, by offset
/// and at the file pointer, from memory with holes.
static void square(void) {
  const int rows = kSide / 2, sizes[2] = {kSide, kSide}, part[2] = {rows, rows};
  const int start[2] = {rank / 2 % 2 * rows, rank % 2 * rows};
  int data[2 * kSide * kSide / 4], back[kSide * kSide / 4], count, i;
  MPI_Datatype view, sparse;
  MPI_File file;
  MPI_Status status;
  MPI_Offset position;
  MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_INT, &view);
  MPI_Type_vector(rows, 1, 2, MPI_INT, &sparse);
  MPI_Type_commit(&view);
  MPI_Type_commit(&sparse);
  check(MPI_File_open(MPI_COMM_WORLD, path_of("square", 0), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == 0,
        "open");
  check(MPI_File_set_view(file, 16, MPI_INT, view, "native", MPI_INFO_NULL) == 0, "view");
  for (i = 0; i < 2 * rows * rows; ++i) data[i] = rank * 1000000 + i;
  if (rank < 4) {
    // The first half a row at a time by offset, with every second int of memory; the rest at once.
    for (i = 0; i < rows / 2; ++i) {
      check(MPI_File_write_at(file, i * rows, data + i * 2 * rows, 1, sparse, &status) == 0, "write_at");
      MPI_Get_count(&status, sparse, &count);
      check(count == 1, "count");
    }
    check(MPI_File_seek(file, rows / 2 * rows, MPI_SEEK_SET) == 0, "seek");
    check(MPI_File_write(file, data, rows / 2 * rows, MPI_INT, &status) == 0, "write");
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_File_get_position(file, &position);
    check(count == rows / 2 * rows && position == rows * rows, "count of the rest");
    // What this rank has written it finds at once.
    check(MPI_File_read_at(file, 0, back, rows * rows, MPI_INT, &status) == 0, "read_at");
    for (i = 0; i < rows * rows; ++i) {
      const int row = i / rows, column = i % rows;
      const int right = row < rows / 2 ? data[row * 2 * rows + 2 * column] : data[i - rows / 2 * rows];
      check(back[i] == right, "own square");
    }
  }
  check(MPI_File_close(&file) == 0, "close");
  MPI_Type_free(&view);
  MPI_Type_free(&sparse);
}

static void fill(char* block, int owner, int number) {
  for (int i = 0; i < kBlock; ++i) block[i] = (char)(owner * 31 + number * 7 + i % 251);
}

static void verify(int fd, off_t where, int owner, int number) {
  char got[kBlock], right[kBlock];
  fill(right, owner, number);
  check(pread(fd, got, kBlock, where) == kBlock && memcmp(got, right, kBlock) == 0, "block");
}

/// One file with the blocks of ranks in turn, and one for each rank; the next rank's blocks are read.
static void blocks(int shared) {
  char block[kBlock];
  const int next = (rank + 1) % ranks, step = shared ? ranks : 1, flags = O_RDWR | O_CREAT;
  int fd = open(path_of(shared ? "blocks" : "blocks.%d", rank), flags, 0644), i;
  check(fd >= 0, "open of blocks");
  for (i = 0; i < kBlocks; ++i) {
    fill(block, rank, i);
    const off_t where = ((off_t)i * step + (shared ? rank : 0)) * kBlock;
    check(pwrite(fd, block, kBlock, where) == kBlock, "pwrite");
  }
  check(close(fd) == 0, "close of blocks");
  meet();
  fd = open(path_of(shared ? "blocks" : "blocks.%d", next), O_RDONLY);
  check(fd >= 0, "open to read");
  for (i = kBlocks - 1; i >= 0; --i) verify(fd, ((off_t)i * step + (shared ? next : 0)) * kBlock, next, i);
  close(fd);
}

/// Names that one rank makes are seen, renamed and removed by the next one.
static void names(void) {
  const int next = (rank + 1) % ranks;
  char text[100];
  struct stat status;
  int i, fd, found = 0;
  if (rank == 0) check(mkdir(path_of("tree", 0), 0755) == 0, "mkdir");
  meet();
  check(mkdir(path_of("tree/%d", rank), 0755) == 0, "mkdir");
  for (i = 0; i < kFiles; ++i) {
    fd = open(path_of("tree/all.%d", rank * kFiles + i), O_WRONLY | O_CREAT | O_EXCL, 0640);
    check(fd >= 0 && write(fd, text, (size_t)i) == i && close(fd) == 0, "create");
    check(mknod(path_of("tree/all.%d.mine", rank * kFiles + i), S_IFREG | 0600, 0) == 0, "mknod");
  }
  meet();
  for (i = 0; i < kFiles; ++i) {
    check(stat(path_of("tree/all.%d", next * kFiles + i), &status) == 0 && status.st_size == i, "stat");
    snprintf(text, sizeof text, "tree/%d/%%d", next);
    check(rename(path_of("tree/all.%d", next * kFiles + i), path_of(text, i)) == 0, "rename");
    check(unlink(path_of("tree/all.%d.mine", next * kFiles + i)) == 0, "unlink");
    check(open(path_of("tree/all.%d", next * kFiles + i), O_RDONLY) < 0 && errno == ENOENT, "open of what is not");
  }
  meet();
  DIR* directory = opendir(path_of("tree/%d", rank));
  check(directory != NULL, "opendir");
  for (struct dirent* entry; (entry = readdir(directory)) != NULL;) found += entry->d_name[0] != '.';
  closedir(directory);
  check(found == kFiles, "number of files");
  for (i = 0; i < kFiles; ++i) {
    snprintf(text, sizeof text, "tree/%d/%%d", rank);
    check(i % 5 == 0 || unlink(path_of(text, i)) == 0, "unlink");
  }
  check(rmdir(path_of("tree/%d", rank)) != 0 && errno == ENOTEMPTY, "rmdir of a full one");
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (count > 2) {
    // Rank 0 alone, where writing fails: the error has to reach the program, and the pointer stays where MPI leaves it.
    MPI_File file;
    MPI_Datatype view;
    int data[1000] = {0};
    at = words[1];
    MPI_Type_vector(1000, 1, 2, MPI_INT, &view);
    MPI_Type_commit(&view);
    check(MPI_File_open(MPI_COMM_SELF, path_of("full", 0), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == 0,
          "open");
    check(MPI_File_set_view(file, 0, MPI_INT, view, "native", MPI_INFO_NULL) == 0, "view");
    printf("%d %d\n", MPI_File_write(file, data, 1000, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS,
           MPI_File_write_at(file, 0, data, 1000, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    MPI_File_close(&file);
  } else {
    at = words[1];
    square();
    blocks(1);
    blocks(0);
    names();
    meet();
  }
  MPI_Finalize();
  return 0;
}
