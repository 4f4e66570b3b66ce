/* Two threads that write files of their own, then a stream: usage two_writers FILE FILE FILE. Exits with 0. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static char data[5000];

static void* write_file(void* path) {
  int file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  for (int i = 0; i < 10; i++) {
    if (write(file, data, sizeof data) != sizeof data) _exit(3);
  }
  close(file);
  return NULL;
}

int main(int count, char** words) {
  if (count != 4) return 2;
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, write_file, words[1 + i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  FILE* stream = fopen(words[3], "w");
  for (int i = 0; i < 100; i++) fprintf(stream, "%099d\n", i);
  fclose(stream);
  puts("done");
  return 0;
}
