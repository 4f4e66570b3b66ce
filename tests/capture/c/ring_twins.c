/* Operations with equal user_data, under way at once on a ring. Prints its own account as rings.c does.
 * Usage: ring_twins MODE */
#define _GNU_SOURCE
#include <fcntl.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { kCount = 20 };
static char memory[1 << 16];
static struct io_uring ring;

static struct io_uring_sqe* next(void) {
  struct io_uring_sqe* entry = io_uring_get_sqe(&ring);
  if (!entry) exit(3);
  return entry;
}
/* Returns how many results were errors. */
static int take(int count) {
  int errors = 0;
  io_uring_submit_and_wait(&ring, (unsigned)count);
  for (int i = 0; i < count; ++i) {
    struct io_uring_cqe* done;
    if (io_uring_wait_cqe(&ring, &done) != 0) exit(4);
    errors += done->res < 0;
    io_uring_cqe_seen(&ring, done);
  }
  return errors;
}
static int make(const char* name) { return open(name, O_RDWR | O_CREAT | O_TRUNC, 0644); }
static void tell(const char* name, long reads, long read, long writes, long written) {
  printf("%s %ld %ld %ld %ld 0\n", name, reads, read, writes, written);
}

/* The kernel may do those of one file after those of the other. */
static void two_files(int sizes[2], int vectors) {
  static struct iovec each[2];
  int files[2] = {make("a"), make("b")};
  for (int i = 0; i < 2 * kCount; ++i) {
    const int which = i % 2;
    struct io_uring_sqe* entry = next();
    each[which] = (struct iovec){memory, (size_t)sizes[which]};
    const __u64 at = (__u64)(i / 2) * (unsigned)sizes[which];
    if (vectors)
      io_uring_prep_writev(entry, files[which], &each[which], 1, at);
    else
      io_uring_prep_write(entry, files[which], memory, (unsigned)sizes[which], at);
    entry->flags |= which == 0 ? IOSQE_ASYNC : 0; /* the later one is over first */
  }
  if (take(2 * kCount) != 0) exit(5);
  tell("a", 0, 0, kCount, (long)kCount * sizes[0]);
  tell("b", 0, 0, kCount, (long)kCount * sizes[1]);
}

static void chains(void) {
  int file = make("a");
  for (int i = 0; i < kCount; ++i) {
    struct io_uring_sqe* entry = next();
    io_uring_prep_write(entry, file, memory, 5000, (__u64)i * 5000);
    entry->flags |= IOSQE_IO_LINK;
    entry = next();
    io_uring_prep_fsync(entry, file, 0);
    entry->flags |= IOSQE_IO_LINK;
    io_uring_prep_read(next(), file, memory, 5000, (__u64)i * 5000);
    if (take(3) != 0) exit(5);
  }
  tell("a", kCount, kCount * 5000L, kCount, kCount * 5000L);
}

/* Ten of twenty writes have no completion. */
static void silent(void) {
  int file = make("a");
  for (int i = 0; i < 10; ++i) {
    struct io_uring_sqe* entry = next();
    io_uring_prep_write(entry, file, memory, 1111, (__u64)i * 1111);
    entry->flags |= IOSQE_CQE_SKIP_SUCCESS | IOSQE_IO_LINK;
    io_uring_prep_nop(next());
    take(1);
  }
  for (int i = 0; i < 10; ++i) io_uring_prep_write(next(), file, memory, 1111, 20000 + (__u64)i * 1111);
  take(10);
  tell("a", 0, 0, 10, 11110);
}

/* Of which file the short read is, its result does not tell. */
static void doubtful(void) {
  int files[2] = {make("a"), make("b")};
  if (write(files[0], memory, 8192) != 8192 || write(files[1], memory, 100) != 100) exit(5);
  for (int i = 0; i < 2; ++i) io_uring_prep_read(next(), files[i], memory, 8192, 0);
  take(2);
  tell("a", 1, 8192, 1, 8192);
  tell("b", 1, 100, 1, 100);
}

static void names(void) {
  char from[] = "old", to[] = "new";
  int file = make(from);
  if (write(file, memory, 777) != 777) exit(5);
  close(file);
  mkdir("directory", 0755);
  io_uring_prep_renameat(next(), AT_FDCWD, from, AT_FDCWD, to, 0);
  io_uring_submit(&ring);
  memset(from, 'x', 3), memset(to, 'x', 3);
  int errors = take(1);
  io_uring_prep_mkdirat(next(), AT_FDCWD, "made", 0755);
  errors += take(1);
  io_uring_prep_linkat(next(), AT_FDCWD, "new", AT_FDCWD, "linked", 0);
  errors += take(1);
  io_uring_prep_symlinkat(next(), "new", AT_FDCWD, "symbolic");
  errors += take(1);
  close(make("gone"));
  io_uring_prep_unlinkat(next(), AT_FDCWD, "gone", 0);
  errors += take(1);
  io_uring_prep_unlinkat(next(), AT_FDCWD, "directory", AT_REMOVEDIR);
  errors += take(1);
  io_uring_prep_unlinkat(next(), AT_FDCWD, "nothing", 0);
  if (errors != 0 || take(1) != 1) exit(77);
  tell("new", 0, 0, 1, 777);
}

int main(int count, char** arguments) {
  const char* mode = count > 1 ? arguments[1] : "";
  if (io_uring_queue_init(64, &ring, 0) != 0) return 77;
  if (!strcmp(mode, "sizes")) two_files((int[]){4096, 1000}, 0);
  if (!strcmp(mode, "vectors")) two_files((int[]){4096, 1000}, 1);
  if (!strcmp(mode, "equal")) two_files((int[]){4096, 4096}, 0);
  if (!strcmp(mode, "chains")) chains();
  if (!strcmp(mode, "silent")) silent();
  if (!strcmp(mode, "doubtful")) doubtful();
  if (!strcmp(mode, "names")) names();
  io_uring_queue_exit(&ring);
  return 0;
}
