/* aio_write and lio_listio, whose results are fetched or not: prints its own account as rings.c does.
 * fetched: with aio_return. asked: with aio_error alone. waited: lio_listio waits for all. left: nobody looks. */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kSize = 8192, kCount = 40, kDepth = 4 };
static char memory[kDepth][kSize];

int main(int count, char** arguments) {
  const char* mode = count > 1 ? arguments[1] : "fetched";
  const int waits = !strcmp(mode, "waited"), fetches = !strcmp(mode, "fetched"), looks = strcmp(mode, "left") != 0;
  int fd = open("aio", O_RDWR | O_CREAT | O_TRUNC, 0644);
  static struct aiocb requests[kCount];
  struct aiocb* list[kDepth];
  long writes = 0, bytes = 0;
  for (int i = 0; i < kCount; i += kDepth) {
    for (int j = 0; j < kDepth; ++j) {
      /* "asked" uses the same memory for all, the others a request's own */
      struct aiocb* request = list[j] = &requests[!strcmp(mode, "asked") ? j : i + j];
      memset(request, 0, sizeof *request);
      request->aio_fildes = fd;
      request->aio_buf = memory[j];
      request->aio_nbytes = kSize;
      request->aio_offset = (off_t)(i + j) * kSize;
      request->aio_lio_opcode = LIO_WRITE;
      if (!waits && aio_write(request) != 0) return 2;
    }
    if (waits && lio_listio(LIO_WAIT, list, kDepth, NULL) != 0) return 3;
    for (int j = 0; j < kDepth; ++j) {
      while (looks && aio_error(list[j]) == EINPROGRESS) {
      }
      if (fetches && aio_return(list[j]) != kSize) return 4;
      writes++, bytes += kSize;
    }
  }
  if (looks) {
    errno = 0;
    struct aiocb bad = {.aio_fildes = 1000, .aio_nbytes = 1, .aio_buf = memory[0], .aio_lio_opcode = LIO_WRITE},
                 *one = &bad;
    if (lio_listio(LIO_WAIT, &one, 1, NULL) != -1 || errno != EIO || aio_error(&bad) != EBADF) return 5;
    if (lio_listio(77, list, 1, NULL) != -1 || errno != EINVAL) return 6;
  }
  close(fd);
  printf("aio 0 0 %ld %ld 0\n", writes, bytes);
  return 0;
}
