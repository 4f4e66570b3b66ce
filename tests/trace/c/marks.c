/* Marks regions and counters in the ways that its first argument names, in the directory of the second. */
#include <errno.h>
#include <fcntl.h>
#include <headrace/phases.h>
#include <headrace/trace.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int file;

static void put(int times) {
  for (int i = 0; i < times; ++i)
    if (pwrite(file, "x", 1, i) != 1) exit(3);
}

static void nest(void) {
  for (int step = 0; step < 10; ++step) {
    HEADRACE_REGION_ENTER("step");
    for (int stage = 0; stage < 4; ++stage) {
      HEADRACE_REGION_ENTER("stage");
      put(1);
      HEADRACE_REGION_LEAVE("stage");
    }
    HEADRACE_COUNTER("residual", 1.0 / (step + 1));
    headrace_counter("step number", step);
    HEADRACE_REGION_LEAVE("step");
  }
}

static void many(int names) {
  char name[32];
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < names; ++i) {
      snprintf(name, sizeof name, "region %d", i);
      headrace_region_enter(name);
      headrace_region_leave(round ? NULL : name);
    }
}

static void unbalanced(void) {
  headrace_region_leave("never entered");
  headrace_region_leave(NULL);
  headrace_region_enter("outer");
  headrace_region_enter("inner");
  headrace_region_enter("innermost");
  headrace_region_leave("outer"); /* two are still open inside */
  headrace_region_leave("inner");
  headrace_region_enter("left open");
}

static void paused(void) {
  put(1);
  headrace_region_enter("before");
  headrace_trace_pause();
  headrace_trace_pause();
  put(5);
  headrace_region_enter("meanwhile");
  headrace_region_leave("before");
  headrace_counter("lost", 1);
  headrace_trace_resume();
  put(1);
  headrace_region_leave("meanwhile");
}

static void* work(void* name) {
  for (int i = 0; i < 1000; ++i) {
    headrace_region_enter(name);
    HEADRACE_COUNTER("i", i);
    headrace_region_leave(name);
  }
  headrace_region_enter("open when the thread ends");
  return NULL;
}

static void threads(void) {
  static char names[8][16];
  for (int round = 0; round < 2; ++round) {
    pthread_t ids[8];
    for (int i = 0; i < 8; ++i) {
      snprintf(names[i], sizeof names[i], "work %d", i % 4);
      pthread_create(&ids[i], NULL, work, names[i]);
    }
    for (int i = 0; i < 8; ++i) pthread_join(ids[i], NULL);
  }
}

static void forks(void) {
  HEADRACE_REGION_ENTER("parent");
  const pid_t child = fork();
  if (child == 0) {
    HEADRACE_REGION_LEAVE("parent"); /* it is in no region */
    HEADRACE_REGION_ENTER("child");
    put(3);
    HEADRACE_REGION_LEAVE("child");
    HEADRACE_REGION_ENTER("parent");
    HEADRACE_REGION_LEAVE("parent");
    _exit(0);
  }
  waitpid(child, NULL, 0);
  HEADRACE_REGION_LEAVE("parent");
}

static void deep(int levels) {
  HEADRACE_REGION_ENTER("deep");
  if (levels > 1) deep(levels - 1);
  HEADRACE_REGION_LEAVE("deep");
}

/* `outer` is left from inside more regions than are kept. */
static void deep_inside(void) {
  HEADRACE_REGION_ENTER("outer");
  for (int i = 0; i < 5000; ++i) headrace_region_enter("inner");
  headrace_region_enter("innermost");
  headrace_region_leave("innermost");
  headrace_region_leave("never entered");
  headrace_region_leave(NULL);
  HEADRACE_REGION_LEAVE("outer");
  HEADRACE_REGION_ENTER("after");
  HEADRACE_REGION_LEAVE("after");
}

static void in_phases(void) {
  headrace_region_enter("outer");
  headrace_phase_begin("phase");
  headrace_region_leave(NULL);
  headrace_region_leave("outer");
  headrace_region_enter("inner");
  headrace_region_leave(NULL);
  headrace_phase_end("phase");
  headrace_region_leave("outer");
}

static void many_counters(int names) {
  char name[32];
  for (int i = 0; i < names; ++i) {
    snprintf(name, sizeof name, "counter %d", i);
    headrace_counter(name, i);
  }
}

/* A child in its parent's memory looks for the recorder first. */
static void vforks(void) {
  const pid_t child = vfork();
  if (child == 0) {
    headrace_region_enter("child");
    _exit(0);
  }
  waitpid(child, NULL, 0);
}

int main(int count, char** values) {
  const char* what = count > 1 ? values[1] : "";
  char path[4096];
  snprintf(path, sizeof path, "%s/out", count > 2 ? values[2] : ".");
  file = open(path, O_CREAT | O_WRONLY, 0600);
  if (strcmp(what, "vforks") == 0) vforks();
  errno = 42;
  HEADRACE_REGION_ENTER("main");
  HEADRACE_REGION_LEAVE("main");
  headrace_counter("first", 1);
  if (errno != 42) return 2;
  if (strcmp(what, "nest") == 0) nest();
  if (strcmp(what, "many") == 0) many(count > 3 ? atoi(values[3]) : 10000);
  if (strcmp(what, "unbalanced") == 0) unbalanced();
  if (strcmp(what, "paused") == 0) paused();
  if (strcmp(what, "threads") == 0) threads();
  if (strcmp(what, "forks") == 0) forks();
  if (strcmp(what, "deep") == 0) deep(10000);
  if (strcmp(what, "deep inside") == 0) deep_inside();
  if (strcmp(what, "in phases") == 0) in_phases();
  if (strcmp(what, "many counters") == 0) many_counters(20000);
  return close(file);
}
