// forks_threads fork|_Fork N: a thread, beside which another one lives, forks N children, one after the other. Each
// child starts two threads, and counts which routines ran; then its first thread writes. The first call of every other
// child fails in between of their starts, those of others are in the threads. Ends with 1 if any child saw a routine
// run twice or never. All on one processor: a new thread waits for its turn.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(it) ((it) ? (void)0 : (perror(#it), exit(2)))

static atomic_int ran[2];
static pthread_barrier_t over;
static int children, plain, late;

static void* runs(void* which) {
  ran[(long)which]++;
  if (late) CHECK(access("/", F_OK) == 0);
  return NULL;
}

static void* lives(void* nothing) {
  pthread_barrier_wait(&over);
  return nothing;
}

static int is_right_in_child(void) {
  pthread_t threads[2];
  CHECK(pthread_create(&threads[0], NULL, runs, (void*)0) == 0);
  if (!late) CHECK(close(-1) == -1 && errno == EBADF);
  CHECK(pthread_create(&threads[1], NULL, runs, (void*)1) == 0);
  for (int i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  const int out = open("/dev/null", O_WRONLY);
  CHECK(out >= 0 && write(out, "x", 1) == 1);
  return ran[0] == 1 && ran[1] == 1;
}

static void* forks(void* nothing) {
  long wrong = 0;
  (void)nothing;
  for (int i = 0; i < children; ++i) {
    late = i & 1;
    const pid_t child = plain ? fork() : _Fork();
    if (child == 0) _exit(is_right_in_child() ? 0 : 1);
    int status = 0;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    wrong += status != 0;
  }
  return (void*)wrong;
}

int main(int count, char** arguments) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CHECK(count == 3 && sched_getaffinity(0, sizeof one, &one) == 0);
  for (int i = 0, kept = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &one) && kept++) CPU_CLR(i, &one);
  CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
  plain = strcmp(arguments[1], "fork") == 0;
  children = atoi(arguments[2]);
  pthread_t beside, forking;
  void* wrong;
  pthread_barrier_init(&over, NULL, 2);
  CHECK(pthread_create(&beside, NULL, lives, NULL) == 0 && pthread_create(&forking, NULL, forks, NULL) == 0);
  CHECK(pthread_join(forking, &wrong) == 0);
  pthread_barrier_wait(&over);
  CHECK(pthread_join(beside, NULL) == 0);
  printf("%ld\n", (long)wrong);
  return wrong ? 1 : 0;
}
