// What a program finds around itself: environment, descriptors, signal state, dlerror, small stacks, limits.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char** environ;

static void* small(void* number) {
  char name[48], text[8];
  snprintf(name, sizeof name, "small%ld", (long)number);
  int fd = open(name, O_CREAT | O_RDWR, 0600);
  struct stat info;
  if (fd < 0 || write(fd, "12345678", 8) != 8 || pread(fd, text, 8, 0) != 8 || fstat(fd, &info) != 0 ||
      stat(name, &info) != 0)
    return "failed";
  close(fd);
  DIR* directory = opendir(".");
  if (!directory || !readdir(directory)) return "failed";
  closedir(directory);
  if (rename(name, "renamed") != 0 || truncate("renamed", 3) != 0 || unlink("renamed") != 0) return "failed";
  if (readlink("/proc/self/cwd", text, sizeof text) <= 0) return "failed";
  return NULL;
}

static void small_stacks(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  printf("stack size %d\n", pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN)));
  for (long i = 0; i < 20; ++i) {
    pthread_t thread;
    void* result;
    if (pthread_create(&thread, &attributes, small, (void*)i) != 0 || pthread_join(thread, &result) != 0 || result)
      printf("small %ld\n", i);
  }
}

static void large_descriptor(void) {
  struct rlimit limits;
  getrlimit(RLIMIT_NOFILE, &limits);
  limits.rlim_cur = limits.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limits);
  int fd = open("large", O_CREAT | O_RDWR, 0600),
      highest = (int)(limits.rlim_max < 3000000 ? limits.rlim_max : 3000000) - 1;
  int copy = fcntl(fd, F_DUPFD, highest);
  printf("%d %zd %d\n", copy == highest || copy < 0, write(copy < 0 ? fd : copy, "x", 1),
         dup2(fd, highest) == highest || copy < 0);
  close(copy);
  close(fd);
}

static void small_address_space(void) {
  struct rlimit limits = {64 << 20, RLIM_INFINITY};
  printf("limit %d\n", setrlimit(RLIMIT_AS, &limits));
  printf("file %s\n", (char*)small((void*)99L) ? "failed" : "works");
}

int main(int count, char** arguments) {
  const char* error = dlerror();
  printf("dlerror %s\n", error ? error : "none");
  printf("errno %d\n", errno);
  for (char** entry = environ; *entry; ++entry) puts(*entry);
  printf("getenv %s %s\n", getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "-", getenv("HEADRACE_JOB") ? "job" : "-");
  sigset_t mask;
  sigprocmask(SIG_SETMASK, NULL, &mask);
  for (int i = 1; i < 65; ++i) {
    struct sigaction action;
    if (sigaction(i, NULL, &action) == 0 && (action.sa_handler != SIG_DFL || sigismember(&mask, i)))
      printf("signal %d\n", i);
  }
  stack_t stack;
  sigaltstack(NULL, &stack);
  printf("alternate stack %d\n", stack.ss_flags);
  for (int fd = 0; fd < 200; ++fd)
    if (fcntl(fd, F_GETFD) != -1) printf("descriptor %d\n", fd);
  if (count > 1) {
    small_stacks();
    large_descriptor();
    small_address_space();
  }
  fflush(stdout);
  (void)arguments;
  return 0;
}
