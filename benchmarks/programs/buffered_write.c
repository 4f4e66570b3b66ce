// fwrite of eight bytes, which mostly copies into the stream's buffer, to one file in DIRECTORY.
// The reference copies as many into a buffer of its own and flushes it directly to a second file.
#include "own_buffer.h"

#include <fcntl.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const char* directory = directory_argument(argc, argv, 1, "DIRECTORY");
  char path[4096];
  path_in(path, sizeof path, directory, "streamed");
  FILE* file = fopen(path, "w");
  if (file == NULL) fail(path);
  path_in(path, sizeof path, directory, "reference");
  struct Buffer buffer = {.fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600)};
  if (buffer.fd < 0) fail(path);

  struct Batches batches;
  MEASURE(
      &batches, 20000,
      {
        if (fwrite("12345678", 8, 1, file) != 1) fail("fwrite");
      },
      put(&buffer, "12345678", 8));

  if (fclose(file) != 0 || close(buffer.fd) != 0) fail("close");
  print_batches(&batches);
  return 0;
}
