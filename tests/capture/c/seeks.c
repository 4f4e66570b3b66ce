// Moves about in a stream, reads and writes it, by chance: seeks FILE MODE SEED. Writes the bytes that the kernel says
// were read meanwhile.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kSize = 20000, kMost = 6000 };
static char text[kMost];

/// Bytes that this process has read so far, without those of this function.
static long bytes_read(void) {
  static long of_this;
  char line[512];
  FILE* told = fopen("/proc/self/io", "r");
  long bytes = told && fgets(line, sizeof line, told) ? atol(line + strlen("rchar: ")) - of_this : -1;
  while (told && fgets(line, sizeof line, told)) continue;
  if (told) of_this += ftell(told);
  if (told) fclose(told);
  return bytes;
}

int main(int count, char** arguments) {
  if (count != 4) return 2;
  srand((unsigned)atoi(arguments[3]));
  FILE* stream = fopen(arguments[1], arguments[2]);
  const int writes = strchr(arguments[2], '+') != NULL;
  if (!stream) return 1;
  if (writes && fwrite(text, 1, 1000, stream) != 1000) return 1;
  bytes_read();
  const long before = bytes_read();
  for (int i = 0; i < 200; ++i) {
    const int what = rand() % 8, where = rand() % kSize;
    if (what < 3) fseek(stream, where, SEEK_SET);
    if (what == 3) fseek(stream, ftell(stream), SEEK_SET);
    if (what == 4) fseek(stream, -(rand() % 100), SEEK_END);
    if (what == 5) fseek(stream, rand() % 50, SEEK_CUR);
    if (what == 6 && writes) {
      fseek(stream, where, SEEK_SET);
      fwrite(text, 1, (size_t)(rand() % kMost), stream);
      fflush(stream);
    }
    fseek(stream, 0, SEEK_CUR);
    const size_t wanted = (size_t)(rand() % (what == 7 ? kMost : 300));
    if (fread(text, 1, wanted, stream) > wanted) return 1;
    fseek(stream, 0, SEEK_CUR);
  }
  printf("%ld\n", bytes_read() - before);
  return 0;
}
