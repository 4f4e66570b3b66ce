/* I/O through libaio, or the same system calls by number ("raw"): prints its own account as rings.c does. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <libaio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kSize = 8192, kCount = 96, kDepth = 16 };
static _Alignas(4096) char memory[kDepth][kSize];
static int raw;
static long calls[2], bytes[2], errors;

static int submit(io_context_t context, long n, struct iocb** list) {
  if (!raw) return io_submit(context, n, list);
  const long result = syscall(SYS_io_submit, context, n, list);
  return result < 0 ? -errno : (int)result;
}
static int get(io_context_t context, long n, struct io_event* events) {
  if (!raw) return io_getevents(context, n, n, events, NULL);
  return (int)syscall(SYS_io_getevents, context, n, n, events, NULL);
}

static void called_back(io_context_t context, struct iocb* request, long result, long more) {
  (void)context, (void)request, (void)more;
  calls[1]++, bytes[1] += result;
}

int main(int count, char** arguments) {
  const char* mode = count > 1 ? arguments[1] : "plain";
  raw = !strcmp(mode, "raw");
  io_context_t context = 0;
  if (raw ? syscall(SYS_io_setup, 64, &context) : io_setup(64, &context)) return 1;
  int fd = open("aio", O_RDWR | O_CREAT | O_TRUNC, 0644);
  struct iocb requests[kDepth], *list[kDepth];
  struct io_event events[kDepth];
  for (int writes = 1; writes >= 0; --writes)
    for (int i = 0; i < kCount; i += kDepth) {
      for (int j = 0; j < kDepth; ++j) {
        list[j] = &requests[j];
        if (writes)
          io_prep_pwrite(list[j], fd, memory[j], kSize, (long long)(i + j) * kSize);
        else
          io_prep_pread(list[j], fd, memory[j], kSize, (long long)(i + j) * kSize);
      }
      if (submit(context, kDepth, list) != kDepth || get(context, kDepth, events) != kDepth) return 2;
      for (int j = 0; j < kDepth; ++j) {
        const long result = (long)events[j].res;
        if (result < 0)
          errors++;
        else
          calls[writes]++, bytes[writes] += result;
      }
    }
  int wrong = 0;
  if (!strcmp(mode, "garbage")) {
    struct iocb* bad[2] = {&requests[0], (struct iocb*)8};
    wrong |= io_submit(context, 1, (struct iocb**)8) != -EFAULT;
    io_prep_pwrite(&requests[0], fd, memory[0], kSize, 0);
    wrong |= io_submit(context, 2, bad) != 1;
    wrong |= io_getevents(context, 1, 2, events, NULL) != 1;
    calls[1]++, bytes[1] += (long)events[0].res;
    io_prep_pwrite(&requests[0], 1000, memory[0], kSize, 0);
    bad[0] = &requests[0];
    wrong |= io_submit(context, 1, bad) != -EBADF;
  }
  if (!strcmp(mode, "callback")) {
    io_prep_pwrite(&requests[0], fd, memory[0], kSize, 0);
    io_set_callback(&requests[0], called_back);
    list[0] = &requests[0];
    io_submit(context, 1, list);
    while (io_queue_run(context) == 0 && calls[1] == kCount) {
    }
  }
  if (!strcmp(mode, "left")) { /* nobody fetches the results of these */
    for (int j = 0; j < 5; ++j) io_prep_pwrite(&requests[j], fd, memory[j], kSize, 0), list[j] = &requests[j];
    if (io_submit(context, 5, list) != 5) return 3;
  }
  io_destroy(context);
  close(fd);
  printf("aio %ld %ld %ld %ld %ld\n", calls[0], bytes[0], calls[1], bytes[1], errors);
  return wrong;
}
