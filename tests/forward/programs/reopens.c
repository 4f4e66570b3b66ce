// freopen() of a file that is open, other streams than the standard ones.
#include <errno.h>
#include <stdio.h>
#include <string.h>

int main(int count, char** a) {
  char line[100];
  FILE* f = fopen(a[1], "w");
  fprintf(f, "one\n");
  printf("%d\n", (f = freopen(a[2], "w+", f)) != NULL);
  fprintf(f, "two\n");
  rewind(f);
  printf("%s", fgets(line, 100, f));
  printf("%d\n", (f = freopen(a[1], "r", f)) != NULL);
  printf("%s", fgets(line, 100, f));
  printf("write %d %d\n", fputs("x", f), ferror(f) != 0);
  printf("%d\n", (f = freopen(NULL, "a", f)) != NULL);
  fprintf(f, "more\n");
  printf("at %ld\n", ftell(f));
  printf("%d\n", (f = freopen(a[1], "rb", f)) != NULL);
  printf("%zu\n", fread(line, 1, 100, f));
  printf("eof %d\n", feof(f) != 0);
  printf("%d\n", (f = freopen("/dev/null", "w", f)) != NULL);
  printf("closed %d\n", fclose(f));
  f = fopen(a[1], "r");
  f = freopen(a[3], "r", f);
  printf("%d %d\n", f != NULL, errno == ENOENT);
  return count == 0;
}
