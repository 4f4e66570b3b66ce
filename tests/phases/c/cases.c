// Programs with phases, one case a run: cases CASE DIRECTORY [NUMBER].
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// As a program finds them that was linked without the tracer.
void headrace_phase_begin(const char* name) __attribute__((weak));
void headrace_phase_end(const char* name) __attribute__((weak));

static char bytes[1 << 16];
static int file;

static void begin(const char* name) {
  if (headrace_phase_begin) headrace_phase_begin(name);
}
static void end(const char* name) {
  if (headrace_phase_end) headrace_phase_end(name);
}
static void put(size_t size, int times) {
  for (int i = 0; i < times; ++i)
    if (write(file, bytes, size) != (ssize_t)size) exit(1);
}

// Three steps, each with a dump that is larger than the one before; I/O around them and after them.
static void nested(void) {
  put(100, 1);
  for (int i = 1; i <= 3; ++i) {
    begin("step");
    put(1000, 2);
    begin("dump");
    put(65536, 10 * i);
    end("dump");
    put(1, 1);
    end("step");
    put(10, 1);
  }
}

static void* helper(void* name) {
  if (name) begin(name);
  put(4096, 25);
  return NULL;  // a phase of its own stays open
}

// What other threads do while a phase is open is part of it.
static void threads(void) {
  pthread_t other;
  put(4096, 1);
  begin("parallel");
  for (int i = 0; i < 2; ++i) {
    pthread_create(&other, NULL, helper, NULL);
    pthread_join(other, NULL);
  }
  end("parallel");
  pthread_create(&other, NULL, helper, "own");
  pthread_join(other, NULL);
  end("own");  // not this thread's: it is ignored
}

// A thread leaves a phase open, and another one begins one as a third ends its own.
static void* own_phases(void* name) {
  for (int i = 0; i < 200; ++i) {
    begin(name);
    put(10, 1);
    end(name);
  }
  return NULL;
}
static void crossing(void) {
  pthread_t first, second;
  pthread_create(&first, NULL, helper, "left");
  pthread_join(first, NULL);
  put(4096, 7);  // outside: the thread's end ended its phase
  pthread_create(&first, NULL, own_phases, "one");
  pthread_create(&second, NULL, own_phases, "two");
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  put(4096, 7);
}

// Ends in the wrong order, ends without begins, begins without ends.
static void careless(void) {
  end("never");
  begin("a");
  begin("b");
  begin("c");
  put(8, 1);
  end("a");  // and with it the others
  end("b");
  begin("a");
  end(NULL);  // the innermost one
  begin(NULL);
  begin("left");
  put(8, 3);
}

static void killed(void) {
  begin("done");
  put(512, 4);
  end("done");
  begin("outer");
  put(1000, 1);
  begin("inner");
  put(1000, 2);
  kill(getpid(), SIGKILL);
}

// A child is in none of its parent's phases.
static void forked(void) {
  begin("parent");
  put(100, 1);
  if (fork() == 0) {
    put(200, 1);
    end("parent");
    begin("child");
    put(300, 1);
    end("child");
    _exit(0);
  }
  wait(NULL);
  end("parent");
}

static void many(long count) {
  for (long i = 1; i <= count; ++i) {
    begin("short");
    put(1, 1);
    if (i == count / 2) usleep(400000);
    end("short");
  }
}

// More phases than are told apart, and more open at once than can be.
static void names(void) {
  char name[64];
  for (int i = 0; i < 400; ++i) {
    snprintf(name, sizeof name, "phase %d", i);
    begin(name);
    put(7, 1);
    end(name);
  }
  for (int i = 0; i < 100; ++i) begin("deep");
  for (int i = 0; i < 100; ++i) end("deep");
  begin("after");
  put(9, 1);
  end("after");
}

// A name of 300 two-byte characters is cut between characters.
static void long_name(void) {
  static char name[601];
  for (int i = 0; i < 600; i += 2) memcpy(name + i, "\xc3\xa4", 2);
  begin(name);
  put(5, 1);
  end(name);
}

// Streams: what waits in a buffer belongs to the phase in which it was put there.
static void streams(const char* directory) {
  char path[512];
  snprintf(path, sizeof path, "%s/stream", directory);
  FILE* stream = fopen(path, "w");
  for (int i = 0; i < 50; ++i) putc('x', stream);
  begin("text");
  for (int i = 0; i < 30; ++i) putc('x', stream);
  fwrite(bytes, 1, 20, stream);
  end("text");
  for (int i = 0; i < 60; ++i) putc('x', stream);
  fclose(stream);
}

// Phases that cannot be told apart any more, around one that can; a thread that leaves such ones.
static void* deep(void* unused) {
  for (int i = 0; i < 40; ++i) begin("deep");
  return unused;
}
static void lost(void) {
  pthread_t other;
  char name[64];
  begin("known");
  end("known");
  for (int i = 0; i < 300; ++i) {
    snprintf(name, sizeof name, "phase %d", i);
    begin(name);
    end(name);
  }
  begin("new");
  begin("known");
  put(5, 1);
  end("known");
  end("new");
  pthread_create(&other, NULL, deep, NULL);
  pthread_join(other, NULL);
  begin("known");
  put(3, 1);
  end("known");
}

// For `--capture phases`: the same files before, in and after a phase, by descriptors and streams.
static void outside(const char* directory) {
  char path[512], other[512];
  snprintf(path, sizeof path, "%s/stream", directory);
  snprintf(other, sizeof other, "%s/never", directory);
  close(open(other, O_CREAT | O_WRONLY, 0600));
  FILE* stream = fopen(path, "w+");
  put(4096, 10);
  fwrite(bytes, 1, 100, stream);
  for (int i = 0; i < 3; ++i) {
    begin("dump");
    put(4096, 2);
    fwrite(bytes, 1, 10, stream);
    putc('x', stream);
    end("dump");
    put(4096, 5);
    fwrite(bytes, 1, 1000, stream);
    putc('y', stream);
    lseek(file, 0, SEEK_CUR);
    unlink(other);
  }
  fclose(stream);
}

int main(int argc, char** argv) {
  char path[512];
  if (argc < 3) return 2;
  const char* what = argv[1];
  snprintf(path, sizeof path, "%s/data", argv[2]);
  file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
  if (file < 0) return 1;
  if (strcmp(what, "nested") == 0) nested();
  if (strcmp(what, "threads") == 0) threads();
  if (strcmp(what, "careless") == 0) careless();
  if (strcmp(what, "killed") == 0) killed();
  if (strcmp(what, "forked") == 0) forked();
  if (strcmp(what, "many") == 0) many(atol(argv[3]));
  if (strcmp(what, "names") == 0) names();
  if (strcmp(what, "long") == 0) long_name();
  if (strcmp(what, "streams") == 0) streams(argv[2]);
  if (strcmp(what, "crossing") == 0) crossing();
  if (strcmp(what, "lost") == 0) lost();
  if (strcmp(what, "outside") == 0) outside(argv[2]);
  return 0;
}
