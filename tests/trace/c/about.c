// Calls that are about a file, though they name none and move nothing: about FILE.
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int wait_for(struct aiocb* request) {
  const struct aiocb* const list[] = {request};
  while (aio_error(request) == EINPROGRESS) aio_suspend(list, 1, NULL);
  return (int)aio_return(request);
}

int main(int count, char** arguments) {
  if (count != 2) return 1;
  char text[8] = "abcdefg";
  FILE* stream = fopen(arguments[1], "w+");
  if (!stream || fwrite(text, 1, 7, stream) != 7 || fflush(stream) != 0) return 2;
  if (fseek(stream, 2, SEEK_SET) != 0 || ftell(stream) != 2) return 3;
  rewind(stream);
  if (setvbuf(stream, NULL, _IONBF, 0) != 0) return 4;
  if (!(stream = freopen(NULL, "r", stream)) || !(stream = freopen(arguments[1], "r", stream))) return 5;
  if (fclose(stream) != 0) return 6;
  const int file = open(arguments[1], O_RDWR);
  struct aiocb request = {.aio_fildes = file, .aio_buf = text, .aio_nbytes = 3}, *list[] = {&request, NULL};
  if (aio_read(&request) != 0 || wait_for(&request) != 3) return 7;
  if (aio_write(&request) != 0 || wait_for(&request) != 3) return 8;
  request.aio_lio_opcode = LIO_READ;
  if (lio_listio(LIO_WAIT, list, 2, NULL) != 0 || wait_for(&request) != 3) return 9;
  stream = fdopen(file, "r");
  if (!stream || fclose(stream) != 0) return 10;
  // Descriptors that are not open.
  errno = 0;
  if (read(999, text, 5) != -1 || errno != EBADF) return 11;
  errno = 0;
  if (pwrite(-1, text, 5, 70) != -1 || errno != EBADF) return 12;
  errno = 0;
  if (fsync(999) != -1 || errno != EBADF) return 13;
  stream = fopen(arguments[1], "r");
  if (!stream || close(fileno(stream)) != 0) return 14;
  errno = 0;
  if (fread(text, 1, 3, stream) != 0 || errno != EBADF) return 15;
  return 0;
}
