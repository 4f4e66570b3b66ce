// Copies in every way that the kernel has: copies SOURCE TARGET.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int count, char** arguments) {
  if (count != 3) return 1;
  const int in = open(arguments[1], O_RDONLY), out = open(arguments[2], O_CREAT | O_RDWR | O_TRUNC, 0600);
  int ends[2];
  if (in < 0 || out < 0 || pipe(ends) != 0) return 2;
  off_t from = 100, to = 50;
  if (copy_file_range(in, &from, out, &to, 4000, 0) != 4000 || from != 4100 || to != 4050) return 3;
  from = 8000;  // 1,000 before the end
  if (copy_file_range(in, &from, out, NULL, 5000, 0) != 1000) return 4;
  if (sendfile(out, in, NULL, 3000) != 3000 || lseek(in, 0, SEEK_CUR) != 3000) return 5;
  from = 10;
  if (splice(in, &from, ends[1], NULL, 2000, 0) != 2000) return 6;
  if (splice(ends[0], NULL, out, NULL, 2000, 0) != 2000) return 7;
  errno = 0;
  if (sendfile(99, in, NULL, 10) != -1 || errno != EBADF) return 8;
  if (copy_file_range(in, NULL, in, NULL, 10, 0) != -1 || errno != EBADF) return 9;  // open for reading alone
  const int nowhere = open("/dev/null", O_WRONLY);
  from = 0;
  if (sendfile(nowhere, in, &from, 500) != 500) return 10;
  return close(in) + close(out);
}
