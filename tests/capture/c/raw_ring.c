/* A ring made, mapped and entered by number, without liburing: writes and reads a file, and prints its own account as
 * rings.c does. With "unmapped" it unmaps the ring's memory before it ends; with "garbage" it also makes calls that
 * fail. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kSize = 4096, kCount = 50 };
static _Alignas(4096) char memory[kSize];

static char* map(int fd, size_t size, long long at) {
  char* result = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, (off_t)at);
  if (result == MAP_FAILED) perror("mmap"), exit(1);
  return result;
}

int main(int count, char** arguments) {
  const char* mode = count > 1 ? arguments[1] : "plain";
  struct io_uring_params p = {0};
  int ring = (int)syscall(SYS_io_uring_setup, 8, &p);
  if (ring < 0) return perror("io_uring_setup"), 1;
  const size_t first = p.sq_off.array + p.sq_entries * 4, second = p.cq_off.cqes + p.cq_entries * 16;
  const size_t size = first > second ? first : second;
  char* both = map(ring, size, IORING_OFF_SQ_RING);
  struct io_uring_sqe* entries = (void*)map(ring, p.sq_entries * sizeof *entries, IORING_OFF_SQES);
  unsigned *tail = (void*)(both + p.sq_off.tail), *array = (void*)(both + p.sq_off.array);
  unsigned *head = (void*)(both + p.cq_off.head), *done = (void*)(both + p.cq_off.tail);
  struct io_uring_cqe* results = (void*)(both + p.cq_off.cqes);
  int fd = open("raw", O_RDWR | O_CREAT | O_TRUNC, 0644);
  long calls[2] = {0, 0}, bytes[2] = {0, 0};
  for (int i = 0; i < 2 * kCount; ++i) {
    const unsigned slot = *tail & (p.sq_entries - 1);
    const int writes = i < kCount;
    entries[slot] = (struct io_uring_sqe){.opcode = writes ? IORING_OP_WRITE : IORING_OP_READ,
                                          .fd = fd,
                                          .addr = (unsigned long)memory,
                                          .len = kSize,
                                          .off = (unsigned long)(i % kCount) * kSize,
                                          .user_data = 42};
    array[slot] = slot;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1) return perror("enter"), 1;
    while (__atomic_load_n(done, __ATOMIC_ACQUIRE) == *head) {
    }
    const int result = results[*head & (p.cq_entries - 1)].res;
    if (result > 0) calls[writes]++, bytes[writes] += result;
    __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
  }
  int wrong = 0;
  if (!strcmp(mode, "garbage")) {
    errno = 0;
    wrong |= syscall(SYS_io_uring_enter, ring, 1, 0, 0, (void*)1, 8) != 0 && errno == 0;
    wrong |= syscall(SYS_io_uring_enter, -1, 1, 0, 0, NULL, 0) != -1 || errno != EBADF;
    wrong |= syscall(SYS_io_uring_setup, 8, (void*)1) != -1 || errno != EFAULT;
    wrong |= syscall(SYS_io_uring_register, ring, IORING_REGISTER_FILES, (void*)1, 4) != -1 || errno != EFAULT;
    wrong |= syscall(SYS_io_uring_register, fd, IORING_REGISTER_FILES, (void*)1, 4) != -1 || errno != EOPNOTSUPP;
    array[*tail & (p.sq_entries - 1)] = 0x7fffffff; /* an entry that there is not */
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    syscall(SYS_io_uring_enter, ring, 1, 0, 0, NULL, 0);
  }
  if (!strcmp(mode, "unmapped")) munmap(both, size), munmap(entries, p.sq_entries * sizeof *entries);
  close(fd);
  close(ring);
  printf("raw %ld %ld %ld %ld 0\n", calls[0], bytes[0], calls[1], bytes[1]);
  return wrong;
}
