/* Does a random mix of I/O over many files with many threads and processes, keeps its own account (tally.h) and ends
 * in a chosen way.
 *
 *   mix --tally FILE --dir DIR [--dirs N] [--threads N] [--processes N] [--operations N] [--seed N] [--size N]
 *       [--open N] [--end HOW] [--exec N] [--launch HOW] [--base ROW] [--kill MICROSECONDS]
 *
 * Files are DIR/dJ/fI. A thread does N operations (0: until killed) on files it opens and closes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tally.h"

static struct tally account;
static const char *tally_path, *dir = ".", *end_how = "return", *launch = "";
static uint64_t threads = 1, processes = 1, operations = 1000, seed = 1, size_limit = 4096, open_limit = 8, dirs = 1,
                base, exec_count, kill_after;
static char* self_path;

struct open_file {
  int fd;
  uint64_t index;
};

static uint64_t next_random(uint64_t* state) {
  uint64_t x = *state += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static void fail(const char* what) {
  fprintf(stderr, "mix: %s: %s\n", what, strerror(errno));
  _exit(97);
}

static void open_one(struct open_file* slot, uint64_t row, uint64_t* random) {
  char path[4200];
  slot->index = next_random(random) % account.files;
  snprintf(path, sizeof path, "%s/d%llu/f%llu", dir, (unsigned long long)(slot->index % dirs),
           (unsigned long long)slot->index);
  int flags = O_RDWR | O_CREAT | O_CLOEXEC | (next_random(random) % 4 == 0 ? O_APPEND : 0);
  tally_begin(&account, row, slot->index, kOpens, 0);
  slot->fd = open(path, flags, 0644);
  tally_end(&account, row, slot->index, kOpens, slot->fd);
  if (slot->fd < 0) fail(path);
}

static void close_one(struct open_file* slot, uint64_t row) {
  tally_begin(&account, row, slot->index, kCloses, 0);
  int result = close(slot->fd);
  tally_end(&account, row, slot->index, kCloses, result);
  slot->fd = -1;
}

static void transfer_one(struct open_file* slot, uint64_t row, uint64_t* random, char* buffer) {
  uint64_t kind = next_random(random) % 10, size = next_random(random) % size_limit;
  if (next_random(random) % 3 == 0) size = 512;
  off_t offset = (off_t)(next_random(random) % 65536);
  struct iovec parts[2] = {{buffer, size / 2}, {buffer + size / 2, size - size / 2}};
  uint64_t what = kind < 4 ? kReads : kWrites;
  int64_t result = -1;
  if (kind == 9) {
    lseek(slot->fd, offset, SEEK_SET);
    return;
  }
  tally_begin(&account, row, slot->index, what, size);
  switch (kind) {
    case 0:
    case 1:
      result = read(slot->fd, buffer, size);
      break;
    case 2:
      result = pread(slot->fd, buffer, size, offset);
      break;
    case 3:
      result = readv(slot->fd, parts, 2);
      break;
    case 4:
    case 5:
    case 6:
      result = write(slot->fd, buffer, size);
      break;
    case 7:
      result = pwrite(slot->fd, buffer, size, offset);
      break;
    case 8:
      result = writev(slot->fd, parts, 2);
      break;
  }
  tally_end(&account, row, slot->index, what, result);
  if (result < 0) fail("transfer");
}

static void* work(void* argument) {
  uint64_t row = (uint64_t)(uintptr_t)argument, random = seed * 1000003 + row * 7919;
  struct open_file slots[64];
  account.intents[row].process = (uint64_t)getpid();
  char* buffer = calloc(1, size_limit + 512);
  for (uint64_t i = 0; i < open_limit; ++i) slots[i].fd = -1;
  for (uint64_t n = 0; operations == 0 || n < operations; ++n) {
    struct open_file* slot = &slots[next_random(&random) % open_limit];
    if (slot->fd < 0)
      open_one(slot, row, &random);
    else if (next_random(&random) % 6 == 0)
      close_one(slot, row);
    else
      transfer_one(slot, row, &random, buffer);
  }
  for (uint64_t i = 0; i < open_limit; ++i)
    if (slots[i].fd >= 0) close_one(&slots[i], row);
  free(buffer);
  return 0;
}

static void work_with_threads(uint64_t first_row) {
  pthread_t others[256];
  for (uint64_t t = 1; t < threads; ++t)
    if (pthread_create(&others[t], 0, work, (void*)(uintptr_t)(first_row + t)) != 0) fail("thread");
  work((void*)(uintptr_t)first_row);
  for (uint64_t t = 1; t < threads; ++t) pthread_join(others[t], 0);
}

/* The same program again with the next rows. */
static char** next_arguments(uint64_t remaining, const char* next_launch) {
  static char text[12][64];
  static char* arguments[32];
  int n = 0, t = 0;
#define NUMBER(name, value) \
  (arguments[n++] = name, snprintf(text[t], 64, "%llu", (unsigned long long)(value)), arguments[n++] = text[t++])
  arguments[n++] = self_path;
  arguments[n++] = "--tally", arguments[n++] = (char*)tally_path;
  arguments[n++] = "--dir", arguments[n++] = (char*)dir;
  arguments[n++] = "--end", arguments[n++] = (char*)end_how;
  arguments[n++] = "--launch", arguments[n++] = (char*)next_launch;
  NUMBER("--dirs", dirs);
  NUMBER("--threads", threads);
  NUMBER("--operations", operations);
  NUMBER("--seed", seed);
  NUMBER("--size", size_limit);
  NUMBER("--open", open_limit);
  NUMBER("--exec", remaining);
  NUMBER("--base", base + threads);
  arguments[n] = 0;
  return arguments;
}

static void end_now(void) {
  if (!strcmp(end_how, "exit")) exit(3);
  if (!strcmp(end_how, "_exit")) _exit(4);
  if (!strcmp(end_how, "quick_exit")) quick_exit(5);
  if (!strcmp(end_how, "raw_exit")) syscall(SYS_exit_group, 6);
  if (!strcmp(end_how, "abort")) abort();
  if (!strcmp(end_how, "term")) raise(SIGTERM);
  if (!strcmp(end_how, "kill")) raise(SIGKILL);
  if (!strcmp(end_how, "segv")) *(volatile int*)8 = 1;
  if (!strcmp(end_how, "pthread_exit")) pthread_exit(0);
}

extern char** environ;

static int launch_other(void) {
  char** arguments = next_arguments(0, "");
  pid_t child = -1;
  int status = 0;
  if (!strcmp(launch, "spawn")) {
    if (posix_spawn(&child, self_path, 0, 0, arguments, environ) != 0) fail("posix_spawn");
  } else {
    child = !strcmp(launch, "vfork") ? vfork() : fork();
    if (child == 0 && !strcmp(launch, "detach")) { /* nobody waits, and it goes on when we are gone */
      setsid();
      usleep(300000);
    }
    if (child == 0) {
      execv(self_path, arguments);
      _exit(127);
    }
  }
  if (child < 0) fail("launch");
  if (!strcmp(launch, "detach")) return 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The kernel's own timer kills, after so much processor time: no thread of the program gets ready for it. */
static void kill_later(void) {
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
  struct itimerspec when = {.it_value = {(time_t)(kill_after / 1000000), (long)(kill_after % 1000000) * 1000}};
  timer_t timer;
  if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0 || timer_settime(timer, 0, &when, 0) != 0)
    fail("timer");
}

int main(int argc, char** argv) {
  self_path = argv[0];
  for (int i = 1; i + 1 < argc; i += 2) {
    const char* name = argv[i];
    uint64_t value = strtoull(argv[i + 1], 0, 10);
    if (!strcmp(name, "--tally"))
      tally_path = argv[i + 1];
    else if (!strcmp(name, "--dir"))
      dir = argv[i + 1];
    else if (!strcmp(name, "--end"))
      end_how = argv[i + 1];
    else if (!strcmp(name, "--launch"))
      launch = argv[i + 1];
    else if (!strcmp(name, "--dirs"))
      dirs = value;
    else if (!strcmp(name, "--threads"))
      threads = value;
    else if (!strcmp(name, "--processes"))
      processes = value;
    else if (!strcmp(name, "--operations"))
      operations = value;
    else if (!strcmp(name, "--seed"))
      seed = value;
    else if (!strcmp(name, "--size"))
      size_limit = value;
    else if (!strcmp(name, "--open"))
      open_limit = value;
    else if (!strcmp(name, "--exec"))
      exec_count = value;
    else if (!strcmp(name, "--base"))
      base = value;
    else if (!strcmp(name, "--kill"))
      kill_after = value;
    else
      return 96;
  }
  account = tally_map(tally_path);
  if (kill_after) kill_later();
  pid_t children[512];
  for (uint64_t p = 1; p < processes; ++p) {
    children[p] = fork();
    if (children[p] == 0) {
      work_with_threads(base + p * threads);
      end_now();
      return 0;
    }
  }
  work_with_threads(base);
  for (uint64_t p = 1; p < processes; ++p) waitpid(children[p], 0, 0);
  if (exec_count > 0) {
    execv(self_path, next_arguments(exec_count - 1, launch));
    fail("exec");
  }
  if (*launch) return launch_other();
  end_now();
  return 0;
}
