// posix_spawn with files to open, a directory to start in, and programs that are in the directory given.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static char in[4096];

static const char* at(const char* name) {
  static char path[4][4200];
  static int next;
  next = (next + 1) % 4;
  snprintf(path[next], sizeof path[next], "%s/%s", in, name);
  return path[next];
}

/// Says what a program with these actions came to, and takes the actions back.
static void run(const char* what, const char* program, posix_spawn_file_actions_t* actions, int by_name,
                const char* first, const char* second) {
  char* arguments[] = {(char*)"called", (char*)first, (char*)second, NULL};
  pid_t child;
  int status = 0;
  fflush(stdout);
  const int error = (by_name ? posix_spawnp : posix_spawn)(&child, program, actions, NULL, arguments, environ);
  if (error == 0) waitpid(child, &status, 0);
  printf("%s: %s, %d\n", what, strerror(error), WEXITSTATUS(status));
  posix_spawn_file_actions_destroy(actions);
  posix_spawn_file_actions_init(actions);
}

int main(int count, char** given) {
  posix_spawn_file_actions_t a;
  if (count < 2 || strlen(given[1]) >= sizeof in) return 2;
  strcpy(in, given[1]);
  posix_spawn_file_actions_init(&a);

  posix_spawn_file_actions_addopen(&a, 1, at("out"), O_WRONLY | O_CREAT | O_TRUNC, 0640);
  posix_spawn_file_actions_addopen(&a, 0, at("input"), O_RDONLY, 0);
  run("open", "/bin/cat", &a, 0, NULL, NULL);
  posix_spawn_file_actions_addopen(&a, 9, at("out"), O_WRONLY | O_APPEND, 0);
  posix_spawn_file_actions_adddup2(&a, 9, 1);
  posix_spawn_file_actions_addclose(&a, 9);
  posix_spawn_file_actions_addclosefrom_np(&a, 3);
  run("append", "/bin/echo", &a, 0, "more", NULL);
  run("shared output", "/bin/cat", &a, 0, at("out"), NULL);

  posix_spawn_file_actions_addchdir_np(&a, at("dir"));
  posix_spawn_file_actions_addopen(&a, 1, "../relative", O_WRONLY | O_CREAT, 0600);
  run("chdir", "/bin/ls", &a, 0, NULL, NULL);
  run("relative", "/bin/cat", &a, 0, at("relative"), NULL);
  const int dir = open(at("dir"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  posix_spawn_file_actions_addfchdir_np(&a, dir);
  run("fchdir", "./program", &a, 0, "x", NULL);
  posix_spawn_file_actions_addopen(&a, 5, at("dir"), O_RDONLY | O_DIRECTORY, 0);
  posix_spawn_file_actions_adddup2(&a, 5, 6);
  posix_spawn_file_actions_addfchdir_np(&a, 6);
  run("fchdir of a new one", "/bin/ls", &a, 0, NULL, NULL);
  posix_spawn_file_actions_addchdir_np(&a, at("dir"));
  posix_spawn_file_actions_addchdir_np(&a, "/usr");
  run("away", "/bin/pwd", &a, 0, NULL, NULL);

  run("program", at("dir/program"), &a, 0, "y", NULL);
  posix_spawn_file_actions_addclosefrom_np(&a, 3);
  run("copy", at("dir/kitten"), &a, 0, at("input"), NULL);
  setenv("PATH", at("dir"), 1);
  run("by name", "kitten", &a, 1, at("input"), NULL);
  run("script by name", "program", &a, 1, "z", NULL);

  posix_spawn_file_actions_addopen(&a, 0, at("none"), O_RDONLY, 0);
  run("no file", "/bin/cat", &a, 0, NULL, NULL);
  posix_spawn_file_actions_addchdir_np(&a, at("input"));
  run("no directory", "/bin/cat", &a, 0, NULL, NULL);
  run("no program", at("none"), &a, 0, NULL, NULL);
  run("no permission", at("input"), &a, 0, NULL, NULL);
  run("not by name", "none", &a, 1, NULL, NULL);
  // Nothing that the others needed is left here.
  printf("%d\n", dup(0) == dir + 1);
  return 0;
}
