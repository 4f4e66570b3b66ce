// Ways to make a process, named by the first argument. Prints what children report; hangs or fails loudly.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
static volatile int stop;

static void fail(const char* what) {
  dprintf(2, "%s: %s\n", what, strerror(errno));
  _exit(99);
}

/// Some I/O on a file of its own; true if it went well.
static int do_io(const char* kind, int number) {
  char name[64], text[16];
  snprintf(name, sizeof name, "%s%d", kind, number);
  int fd = open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
  if (fd < 0) return 0;
  int good = write(fd, "0123456789", 10) == 10 && lseek(fd, 2, SEEK_SET) == 2 && read(fd, text, 5) == 5 &&
             memcmp(text, "23456", 5) == 0;
  return close(fd) == 0 && good && unlink(name) == 0;
}

static int status_of(pid_t child) {
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) fail("waitpid");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static void* load(void* argument) {
  int number = (int)(long)argument;
  for (int i = 0; !stop; ++i)
    if (!do_io("thread", number * 100000 + i % 400)) fail("I/O of a thread");
  return NULL;
}

/// Forks by `make` while threads do I/O; every child does I/O, too, and has the descriptors of its parent and no
/// others.
static void fork_under_load(pid_t (*make)(void), int rounds) {
  pthread_t threads[4];
  for (long i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, load, (void*)i);
  for (int i = 0; i < rounds; ++i) {
    pid_t child = make();
    if (child < 0) fail("fork");
    if (child == 0) {
      alarm(20);
      _exit(do_io("child", i) ? 0 : 1);
    }
    int status = status_of(child);
    if (status != 0) printf("child %d: %d\n", i, status), exit(1);
  }
  stop = 1;
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  printf("%d children\n", rounds);
}

static pid_t clone_by_number(void) { return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL); }

// ---- fork in a handler that interrupts I/O
static volatile int handled, failed;
static int child_returns;
static volatile pid_t grandchild_of_handler = -1;

static void forking_handler(int number) {
  int saved = errno;
  (void)number;
  pid_t child = fork();
  if (child == 0) {
    int good = do_io("handler", handled);
    if (!child_returns) _exit(good ? 0 : 1);
    grandchild_of_handler = 0;  // this child goes on where the signal came
    errno = saved;
    return;
  }
  if (status_of(child) != 0) ++failed;
  ++handled;
  errno = saved;
}

static void fork_in_handler(int rounds) {
  struct sigaction action = {.sa_handler = forking_handler};
  sigaction(SIGALRM, &action, NULL);
  int fd = open("busy", O_CREAT | O_RDWR, 0600);
  unsigned random = 1;
  while (handled < rounds) {
    random = random * 1103515245 + 12345;
    struct itimerval once = {{0, 0}, {0, 20 + random / 65536 % 500}};
    int before = handled;
    setitimer(ITIMER_REAL, &once, NULL);
    for (int i = 0; handled == before && grandchild_of_handler < 0; ++i) {
      if (pwrite(fd, "x", 1, i % 4096) != 1) fail("pwrite");
      if (!child_returns && i % 64 == 0 && !do_io("main", i % 512)) fail("I/O between signals");
    }
    if (grandchild_of_handler == 0) _exit(do_io("returned", rounds) ? 0 : 1);
  }
  printf("%d handlers forked, %d children failed\n", handled, failed);
}

// ---- other programs
static int exec_in_vfork(int number) {
  char text[32];
  snprintf(text, sizeof text, "exit %d", number % 50);
  pid_t child = vfork();
  if (child == 0) {
    dup2(1, 7);
    close(7);
    execl("/bin/sh", "sh", "-c", text, NULL);
    _exit(98);
  }
  return status_of(child);
}

static void spawn_with_actions(void) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "spawned", O_CREAT | O_WRONLY | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 9);
  posix_spawn_file_actions_addclose(&actions, 0);
  char* arguments[] = {"sh", "-c", "echo out; echo nine >&9; ls -l /proc/self/fd | wc -l; env | sort", NULL};
  char* environment[] = {"PATH=/bin:/usr/bin", "ONLY=this", NULL};
  pid_t child;
  printf("spawn %d\n", posix_spawn(&child, "/bin/sh", &actions, NULL, arguments, environment));
  printf("status %d\n", status_of(child));
  child = 4711;
  printf("spawnp %d", posix_spawnp(&child, "no-such-program", &actions, NULL, arguments, environment));
  printf(" %d\n", child == 4711);
}

static void* set_variables(void* unused) {
  char value[32];
  for (int i = 0; !stop; ++i) {
    snprintf(value, sizeof value, "%d", i);
    setenv(i % 2 ? "CHANGING_A" : "CHANGING_B", value, 1);
  }
  return unused;
}

static void* run_commands(void* unused) {
  for (int i = 0; i < 25; ++i) {
    if (system("exit 3") != 3 << 8) fail("system");
    FILE* stream = popen("echo $FIXED", "r");
    char line[64] = "";
    if (!stream || !fgets(line, sizeof line, stream) || strcmp(line, "fixed\n") != 0 || pclose(stream) != 0)
      fail("popen");
  }
  return unused;
}

static void commands_while_setting(void) {
  // All exist before: a program that adds variables while another thread reads them is lost with and without capture.
  setenv("FIXED", "fixed", 1);
  setenv("CHANGING_A", "", 1);
  setenv("CHANGING_B", "", 1);
  pthread_t setter, runners[3];
  pthread_create(&setter, NULL, set_variables, NULL);
  for (int i = 0; i < 3; ++i) pthread_create(&runners[i], NULL, run_commands, NULL);
  for (int i = 0; i < 3; ++i) pthread_join(runners[i], NULL);
  stop = 1;
  pthread_join(setter, NULL);
  unsetenv("CHANGING_A");
  unsetenv("CHANGING_B");
  fflush(stdout);
  if (execl("/usr/bin/env", "env", NULL) < 0) fail("env");
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "";
  int rounds = count > 2 ? atoi(arguments[2]) : 200;
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!strcmp(what, "fork"))
    fork_under_load(fork, rounds);
  else if (!strcmp(what, "_Fork"))
    fork_under_load(_Fork, rounds);
  else if (!strcmp(what, "clone"))
    fork_under_load(clone_by_number, rounds);
  else if (!strcmp(what, "handler"))
    fork_in_handler(rounds);
  else if (!strcmp(what, "handler-returns"))
    child_returns = 1, fork_in_handler(rounds);
  else if (!strcmp(what, "vfork"))
    for (int i = 0; i < rounds; ++i) printf("%d%c", exec_in_vfork(i), i % 20 == 19 ? '\n' : ' ');
  else if (!strcmp(what, "spawn"))
    spawn_with_actions();
  else if (!strcmp(what, "commands"))
    commands_while_setting();
  else
    return 2;
  return 0;
}
