/* I/O through liburing on the files of the working directory. Tells of each file what completed, by its own account:
 * NAME reads bytes writes bytes errors.
 * Usage: rings MODE [DEPTH]: DEPTH operations at once. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kSize = 8192, kCount = 96, kMost = 64 };
static _Alignas(4096) char memory[kMost][kSize];
static struct iovec vectors[kMost];

struct tally {
  long calls[2], bytes[2], errors;
};

static void need(long result, const char* what) {
  if (result < 0) fprintf(stderr, "%s: %s\n", what, strerror((int)-result)), exit(1);
}
static void tell(const char* name, const struct tally* t) {
  printf("%s %ld %ld %ld %ld %ld\n", name, t->calls[0], t->bytes[0], t->calls[1], t->bytes[1], t->errors);
}

/* user_data: the direction; equal for all of it. */
static void take(struct io_uring* ring, struct tally* t) {
  struct io_uring_cqe* entry;
  int result;
  while ((result = io_uring_wait_cqe(ring, &entry)) == -EINTR) {
  }
  need(result, "io_uring_wait_cqe");
  const unsigned long direction = entry->user_data;
  if (entry->res < 0)
    t->errors++;
  else if (direction < 2)
    t->calls[direction]++, t->bytes[direction] += entry->res;
  io_uring_cqe_seen(ring, entry);
}

static void prepare(struct io_uring* ring, const char* mode, int fd, int direction, int i, int slot) {
  struct io_uring_sqe* entry = io_uring_get_sqe(ring);
  if (!entry) exit(3);
  const __u64 at = !strcmp(mode, "position") ? (__u64)-1 : (__u64)i * kSize;
  vectors[slot] = (struct iovec){memory[slot], kSize};
  if (!strcmp(mode, "vector")) {
    if (direction)
      io_uring_prep_writev(entry, fd, &vectors[slot], 1, at);
    else
      io_uring_prep_readv(entry, fd, &vectors[slot], 1, at);
  } else if (!strcmp(mode, "fixed")) {
    if (direction)
      io_uring_prep_write_fixed(entry, 1, memory[slot], kSize, at, slot);
    else
      io_uring_prep_read_fixed(entry, 1, memory[slot], kSize, at, slot);
    entry->flags |= IOSQE_FIXED_FILE;
  } else if (!strcmp(mode, "direct")) {
    if (direction)
      io_uring_prep_write(entry, 1, memory[slot], kSize, at);
    else
      io_uring_prep_read(entry, 1, memory[slot], kSize, at);
    entry->flags |= IOSQE_FIXED_FILE;
  } else if (direction) {
    io_uring_prep_write(entry, fd, memory[slot], kSize, at);
  } else {
    io_uring_prep_read(entry, fd, memory[slot], kSize, at);
  }
  entry->user_data = (unsigned long)direction;
}

static void move_all(struct io_uring* ring, const char* mode, int fd, int depth, struct tally* t) {
  for (int direction = 1; direction >= 0; --direction) {
    if (!strcmp(mode, "position")) lseek(fd, 0, SEEK_SET);
    for (int i = 0; i < kCount; i += depth) {
      for (int j = 0; j < depth; ++j) prepare(ring, mode, fd, direction, i + j, j);
      need(io_uring_submit(ring), "io_uring_submit");
      for (int j = 0; j < depth; ++j) take(ring, t);
    }
  }
}

static int open_in(struct io_uring* ring, const char* name) {
  struct io_uring_sqe* entry = io_uring_get_sqe(ring);
  struct io_uring_cqe* done;
  io_uring_prep_openat(entry, AT_FDCWD, name, O_RDWR | O_CREAT | O_TRUNC, 0644);
  need(io_uring_submit_and_wait(ring, 1), "io_uring_submit_and_wait");
  need(io_uring_peek_cqe(ring, &done), "io_uring_peek_cqe");
  const int fd = done->res;
  io_uring_cqe_seen(ring, done);
  return fd;
}
static void close_in(struct io_uring* ring, int fd) {
  struct tally none = {0};
  struct io_uring_sqe* entry = io_uring_get_sqe(ring);
  io_uring_prep_close(entry, fd);
  entry->user_data = 2;
  need(io_uring_submit(ring), "io_uring_submit");
  take(ring, &none);
}

static int depth = 1;
static const char* mode;
static int failed;

static void use(const char* name) {
  struct io_uring ring;
  struct tally t = {0};
  need(io_uring_queue_init(kMost, &ring, strcmp(mode, "polled") ? 0 : IORING_SETUP_SQPOLL), "io_uring_queue_init");
  const int inside = !strcmp(mode, "open");
  int fd = inside ? open_in(&ring, name) : open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
  need(fd, name);
  if (!strcmp(mode, "fixed")) {
    const int files[] = {-1, fd};
    struct iovec all[kMost];
    for (int i = 0; i < kMost; ++i) all[i] = (struct iovec){memory[i], kSize};
    need(io_uring_register_files(&ring, files, 2), "io_uring_register_files");
    need(io_uring_register_buffers(&ring, all, kMost), "io_uring_register_buffers");
    close(fd); /* the ring has it still */
  }
  move_all(&ring, mode, fd, depth, &t);
  if (!strcmp(mode, "errors")) {
    prepare(&ring, "plain", 1000, 1, 0, 0);
    need(io_uring_submit(&ring), "io_uring_submit");
    take(&ring, &t);
  }
  errno = 0;
  if (inside)
    close_in(&ring, fd);
  else if (strcmp(mode, "fixed"))
    close(fd);
  io_uring_queue_exit(&ring);
  failed |= errno != 0;
  tell(name, &t);
}

static void* use_in_thread(void* name) { return use(name), NULL; }

/* A ring's entries are taken by a program without any call: more than it has room for. */
static void without_calls(void) {
  struct io_uring ring;
  struct tally t = {0};
  need(io_uring_queue_init(kMost, &ring, IORING_SETUP_SQPOLL), "io_uring_queue_init");
  int fd = open("quiet", O_RDWR | O_CREAT | O_TRUNC, 0644);
  need(fd, "quiet");
  for (int i = 0; i < 6 * kMost; ++i) {
    prepare(&ring, "plain", fd, 1, i, 0);
    if (i == 0) need(io_uring_submit(&ring), "io_uring_submit");
    /* what io_uring_submit does, without its call: the thread of the kernel's is awake for seconds */
    __atomic_store_n(ring.sq.ktail, ring.sq.sqe_tail, __ATOMIC_RELEASE);
    while (!io_uring_cq_ready(&ring)) {
    }
    struct io_uring_cqe* done;
    io_uring_peek_cqe(&ring, &done);
    if (done->res > 0) t.calls[1]++, t.bytes[1] += done->res;
    io_uring_cqe_seen(&ring, done);
  }
  io_uring_queue_exit(&ring);
  close(fd);
  tell("quiet", &t);
}

/* A file that has a number in the ring's table alone. */
static void without_descriptor(void) {
  struct io_uring ring;
  struct tally t = {0}, others = {0};
  need(io_uring_queue_init(kMost, &ring, 0), "io_uring_queue_init");
  const int none[] = {-1, -1};
  need(io_uring_register_files(&ring, none, 2), "io_uring_register_files");
  struct io_uring_sqe* entry = io_uring_get_sqe(&ring);
  io_uring_prep_openat_direct(entry, AT_FDCWD, "direct", O_RDWR | O_CREAT | O_TRUNC, 0644, 1);
  entry->user_data = 2;
  need(io_uring_submit(&ring), "io_uring_submit");
  take(&ring, &others);
  move_all(&ring, mode, -1, depth, &t);
  for (int closes = 0; closes < 2; ++closes) {
    entry = io_uring_get_sqe(&ring);
    if (closes)
      io_uring_prep_close_direct(entry, 1);
    else
      io_uring_prep_fsync(entry, 1, 0), entry->flags |= IOSQE_FIXED_FILE;
    entry->user_data = 2;
    need(io_uring_submit(&ring), "io_uring_submit");
    take(&ring, &others);
  }
  io_uring_queue_exit(&ring);
  if (others.errors) exit(4);
  tell("direct", &t);
}

static void in_child(void) {
  struct io_uring ring;
  struct tally t = {0};
  need(io_uring_queue_init(kMost, &ring, 0), "io_uring_queue_init");
  int fd = open("child", O_RDWR | O_CREAT | O_TRUNC, 0644);
  if (fork() == 0) {
    move_all(&ring, "plain", fd, 1, &t);
    tell("child", &t);
    fflush(stdout);
    _exit(0);
  }
  wait(NULL);
  io_uring_queue_exit(&ring);
}

int main(int count, char** arguments) {
  mode = count > 1 ? arguments[1] : "plain";
  if (count > 2) depth = atoi(arguments[2]);
  if (!strcmp(mode, "quiet")) {
    without_calls();
  } else if (!strcmp(mode, "direct")) {
    without_descriptor();
  } else if (!strcmp(mode, "child")) {
    in_child();
  } else if (!strcmp(mode, "threads")) {
    pthread_t threads[4];
    static const char* names[] = {"t0", "t1", "t2", "t3"};
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, use_in_thread, (void*)names[i]);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  } else {
    use("data");
  }
  return failed;
}
