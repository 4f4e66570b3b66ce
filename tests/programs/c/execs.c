// Programs started in every way, with odd environments, and starts that fail. The program goes on after each failure.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char env_path[] = "/usr/bin/env";

static void in_child(const char* title, int (*start)(void)) {
  printf("== %s\n", title);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    int result = start();
    dprintf(1, "returned %d %d\n", result, errno);
    int fd = open("went-on", O_CREAT | O_WRONLY | O_APPEND, 0600);
    _exit(write(fd, "x", 1) == 1 ? 17 : 18);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("status %d\n", status);
}

static int null_environment(void) { return execve(env_path, (char*[]){"env", NULL}, NULL); }
static int empty_environment(void) { return execve(env_path, (char*[]){"env", NULL}, (char*[]){NULL}); }
static int cleared(void) { return clearenv() || execl(env_path, "env", NULL); }
static int cleared_path(void) { return clearenv() || execlp("env", "env", NULL); }
static int listed(void) { return execle(env_path, "env", NULL, (char*[]){"A=1", "B=2", NULL}); }
static int own_preload(void) { return execle(env_path, "env", NULL, (char*[]){"LD_PRELOAD=libm.so.6", "B=2", NULL}); }
static int own_job(void) { return execle(env_path, "env", NULL, (char*[]){"HEADRACE_OTHER=1", "LD_PRELOAD=", NULL}); }
static int twice(void) {
  return execle("/bin/sh", "sh", "-c", "env -i /usr/bin/env; env -u PATH /usr/bin/env; exec /usr/bin/env X=1", NULL,
                (char*[]){"Y=2", NULL});
}
static int many(void) {
  char* list[301];
  for (int i = 0; i < 300; ++i) list[i] = malloc(40), snprintf(list[i], 40, "VARIABLE_%d=%d", i, i * i);
  list[300] = NULL;
  return execve(env_path, (char*[]){"env", NULL}, list);
}
static int very_many(void) {
  static char* list[9001];
  for (int i = 0; i < 9000; ++i) list[i] = malloc(40), snprintf(list[i], 40, "VARIABLE_%d=%d", i, i);
  return execve(env_path, (char*[]){"env", NULL}, list);
}
static int by_descriptor(void) {
  return fexecve(open(env_path, O_RDONLY | O_CLOEXEC), (char*[]){"env", NULL}, (char*[]){"C=3", NULL});
}
static int relative(void) {
  return chdir("/usr/bin") || execve("./env", (char*[]){"env", NULL}, (char*[]){"D=4", NULL});
}
static int missing(void) { return execv("missing", (char*[]){"x", NULL}); }
static int not_allowed(void) { return execv("plain", (char*[]){"x", NULL}); }
static int directory(void) { return execv("/tmp", (char*[]){"x", NULL}); }
static int no_format(void) { return execv("no-format", (char*[]){"x", NULL}); }
static int no_format_path(void) { return execvp("./no-format", (char*[]){"x", "argument", NULL}); }
static int no_interpreter(void) { return execv("no-interpreter", (char*[]){"x", NULL}); }
static int truncated(void) { return execv("truncated", (char*[]){"x", NULL}); }
static int not_in_path(void) { return execlp("no-such-program-anywhere", "x", NULL); }
static int arguments_too_long(void) {
  static char text[200 << 10];
  memset(text, 'a', sizeof text - 1);
  return execl(env_path, "env", text, NULL);
}
static int just_fits(void) {
  // As large an argument list as the kernel takes without capture's additions, found from below: the first that fails
  // must be the same one. Each try is a child, told apart by its status.
  static char text[100001], *list[40];
  memset(text, 'a', 100000);
  int n = 0;
  for (list[n++] = "true"; n < 21; ++n) list[n] = text;
  int fits = 0, too_large = 100000;
  while (fits + 1 < too_large) {
    int tried = (fits + too_large) / 2, status;
    list[21] = text + 100000 - tried;
    pid_t child = vfork();
    if (child == 0) {
      execve("/bin/true", list, (char*[]){"E=5", NULL});
      _exit(errno == E2BIG ? 7 : 8);
    }
    waitpid(child, &status, 0);
    if (status == 0)
      fits = tried;
    else
      too_large = tried;
  }
  dprintf(1, "fits %d\n", fits > 1);
  list[21] = text + 100000 - fits;
  pid_t child;
  dprintf(1, "spawn %d\n", posix_spawn(&child, "/bin/true", NULL, NULL, list, (char*[]){"E=5", NULL}));
  return execve("/bin/true", list, (char*[]){"E=5", NULL}) + fits;
}

static void make(const char* name, const char* text, mode_t mode) {
  int fd = open(name, O_CREAT | O_WRONLY, 0700);
  if (write(fd, text, strlen(text)) < 0) exit(9);
  fchmod(fd, mode);
  close(fd);
}

int main(void) {
  make("plain", "text", 0644);
  make("no-format", "echo run by a shell $1\n", 0755);
  make("no-interpreter", "#!/missing/interpreter\n", 0755);
  make("truncated", "\177ELF\2\1\1", 0755);
#define RUN(function) in_child(#function, function)
  RUN(null_environment), RUN(empty_environment), RUN(cleared), RUN(cleared_path), RUN(listed), RUN(own_preload),
      RUN(own_job);
  RUN(twice), RUN(many), RUN(very_many), RUN(by_descriptor), RUN(relative), RUN(missing), RUN(not_allowed),
      RUN(directory);
  RUN(no_format), RUN(no_format_path), RUN(no_interpreter), RUN(truncated), RUN(not_in_path), RUN(arguments_too_long),
      RUN(just_fits);
  return 0;
}
