// Races and endings that once broke a captured program or its log. Each mode ends by itself and prints what it saw.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int over;
static volatile int shared_fd = -1;
static pthread_barrier_t barrier;

static void* close_too(void* unused) {
  for (int i = 0; i < 20000; ++i) {
    pthread_barrier_wait(&barrier);
    close(shared_fd);
    pthread_barrier_wait(&barrier);
  }
  return unused;
}

// Two threads close one descriptor again and again.
static void double_close(void) {
  pthread_t other;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&other, NULL, close_too, NULL);
  for (int i = 0; i < 20000; ++i) {
    shared_fd = open("twice", O_CREAT | O_WRONLY, 0600);
    pthread_barrier_wait(&barrier);
    close(shared_fd);
    pthread_barrier_wait(&barrier);
  }
  pthread_join(other, NULL);
  int fd = open("after", O_CREAT | O_WRONLY, 0600);
  if (write(fd, "x", 1) != 1) _exit(1);
  close(fd);
}

static void* read_until_cancelled(void* unused) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  char byte;
  int fd = open("source", O_RDONLY);
  for (;;)
    if (pread(fd, &byte, 1, 0) < 0) return unused;
}

// Threads are cancelled asynchronously in the middle of anything; then many files need room.
static void cancelled(void) {
  int fd = open("source", O_CREAT | O_WRONLY, 0600);
  if (write(fd, "x", 1) != 1) _exit(1);
  close(fd);
  for (int i = 0; i < 50; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, read_until_cancelled, NULL);
    usleep(1000);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
  }
  for (int i = 0; i < 3000; ++i) {
    char name[32];
    snprintf(name, sizeof name, "file-%d", i);
    fd = open(name, O_CREAT | O_WRONLY, 0600);
    if (write(fd, "x", 1) != 1) _exit(1);
    close(fd);
    unlink(name);
  }
}

static void* run_commands(void* unused) {
  while (!over)
    if (system(":") != 0) _exit(1);
  return unused;
}

// Forked children run commands while another thread of the parent does.
static void fork_and_system(void) {
  pthread_t other;
  pthread_create(&other, NULL, run_commands, NULL);
  for (int i = 0; i < 50; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      // Not system(): the C library's own lock in it may be held by the parent's thread for ever here.
      execl("/bin/sh", "sh", "-c", "test -z \"$HEADRACE_JOB$LD_PRELOAD\"", NULL);
      _exit(1);
    }
    int status;
    waitpid(child, &status, 0);
    if (status != 0) printf("child %d\n", status);
  }
  over = 1;
  pthread_join(other, NULL);
}

static void* set_variables(void* unused) {
  for (int i = 0; i < 20000; ++i) {
    char value[16];
    snprintf(value, sizeof value, "%d", i);
    setenv("COUNTER", value, 1);
    const char* found = getenv("COUNTER");
    if (!found || strcmp(found, value) != 0) {
      printf("lost\n");
      break;
    }
  }
  over = 1;
  return unused;
}

static void setenv_and_system(void) {
  setenv("COUNTER", "0", 1);
  pthread_t setter;
  pthread_create(&setter, NULL, set_variables, NULL);
  run_commands(NULL);
  pthread_join(setter, NULL);
}

static void on_signal(int number) {
  (void)number;
  char text[] = "handled\n";
  if (write(1, text, sizeof text - 1) < 0) _exit(1);
  int fd = open("handler", O_CREAT | O_WRONLY, 0600);
  if (write(fd, text, 1) != 1) _exit(1);
  close(fd);
}

// A handler's first I/O on a small stack with nothing mapped below it.
static void small_stack(void) {
  const size_t size = 8192;
  char* memory = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(memory, 4096, PROT_NONE);
  stack_t stack = {.ss_sp = memory + 4096, .ss_size = size};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
}

static void* write_by_number(void* unused) {
  pthread_cancel(pthread_self());
  if (syscall(SYS_write, 1, "not cancelled\n", 14) != 14) _exit(1);
  return unused;
}

static void numbered(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, write_by_number, NULL);
  pthread_join(thread, NULL);
}

// A child that cannot open anything.
static void no_descriptor(void) {
  int fd = open("full", O_CREAT | O_WRONLY, 0600);
  struct rlimit limit = {(rlim_t)fd + 1, (rlim_t)fd + 1};
  setrlimit(RLIMIT_NOFILE, &limit);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 10; ++i)
      if (write(fd, "x", 1) != 1) _exit(1);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  printf("%d\n", status);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } modes[] = {{"double_close", double_close},       {"cancelled", cancelled},
               {"fork_and_system", fork_and_system}, {"setenv_and_system", setenv_and_system},
               {"small_stack", small_stack},         {"numbered", numbered},
               {"no_descriptor", no_descriptor}};
  for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; ++i)
    if (strcmp(argv[1], modes[i].name) == 0) {
      modes[i].run();
      puts("done");
      return 0;
    }
  return 2;
}
