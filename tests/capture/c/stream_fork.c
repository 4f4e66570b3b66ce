/* Forks while calls of single bytes wait to be counted. test_stdio_totals.py says what each process did. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  FILE* out = fopen("written", "w");
  FILE* in = fopen("read", "r");
  if (argc != 2 || !out || !in) return 1;
  for (int i = 0; i < 100; ++i) fputc('p', out);
  for (int i = 0; i < 7; ++i) putc_unlocked('i', out);
  for (int i = 0; i < 50; ++i) fgetc(in);
  if (fork() == 0) {
    for (int i = 0; i < 5; ++i) putc_unlocked('c', out); /* before anything that capture sees */
    for (int i = 0; i < 10; ++i) fputc('c', out);
    for (int i = 0; i < 30; ++i) fgetc(in);
    for (int i = 0; i < 4; ++i) getc_unlocked(in);
    if (*argv[1] == 'e') exit(0);
    _exit(0);
  }
  wait(0);
  for (int i = 0; i < 20; ++i) fputc('p', out);
  for (int i = 0; i < 3; ++i) getc_unlocked(in);
  return 0;
}
