// What the kernel laid out for a program, found as runtimes find it: by walking over the end of the environment.
//   start_block WAY…: starts itself in each of these ways, and shows that in the new program.
//   start_block --without NAME PROGRAM: becomes PROGRAM past the C library, without that variable.
#include <elf.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
static char** at_construction;  // the environment that constructors get, as Go's runtime does

__attribute__((constructor)) static void construct(int count, char** arguments, char** environment) {
  at_construction = environment;
  if (environment != arguments + count + 1) puts("a constructor's environment lies elsewhere");
}

/// Variables, and the kinds of entries of the auxiliary vector behind them with whether getauxval has their values.
static void walk(const char* title, char** entry) {
  printf("%s\n", title);
  for (; *entry; ++entry) printf("  %s\n", *entry);
  printf("  vector");
  const unsigned long* pair = (unsigned long*)(entry + 1);
  for (int i = 0; pair[0] != AT_NULL && i < 100; ++i, pair += 2)
    if (pair[0] != AT_IGNORE) printf(" %lu%s", pair[0], getauxval(pair[0]) == pair[1] ? "" : "?");
  printf("\n");
}

static void show(int count, char** arguments, char** environment) {
  for (int i = 0; i < count; ++i) printf("argument %s\n", arguments[i]);
  if (arguments[count]) puts("the arguments have no end");
  walk("behind the arguments", arguments + count + 1);
  walk("of main", environment);
  walk("of a constructor", at_construction);
  walk("environ", environ);
  printf("environ is %s\n", environ == arguments + count + 1 ? "the kernel's" : "another");
  printf("getenv %s %s\n", getenv("LD_PRELOAD") ? getenv("LD_PRELOAD") : "-", getenv("A") ? getenv("A") : "-");
}

static char* few[] = {"A=1", "B=2", NULL};
static char* own_library[] = {"A=1", "LD_PRELOAD=libm.so.6", "B=2", NULL};
static char* none[] = {NULL};

static int start(const char* way, char* program) {
  char* const arguments[] = {program, "--show", (char*)way, NULL};
  char command[4200];
  pid_t child;
  snprintf(command, sizeof command, "'%s' --show %s", program, way);
  if (!strcmp(way, "system")) return system(command);
  if (!strcmp(way, "popen")) return pclose(popen(command, "w"));
  if (!strcmp(way, "spawn")) return posix_spawn(&child, program, NULL, NULL, arguments, few) || wait(NULL) != child;
  if (!strcmp(way, "vfork")) {
    if ((child = vfork()) == 0) _exit(execve(program, arguments, few));
    return child < 0 || wait(NULL) != child;
  }
  if ((child = fork()) == 0) {
    if (!strcmp(way, "execv")) execv(program, arguments);
    if (!strcmp(way, "execve")) execve(program, arguments, few);
    if (!strcmp(way, "library")) execve(program, arguments, own_library);
    if (!strcmp(way, "empty")) execve(program, arguments, none);
    if (!strcmp(way, "null")) execve(program, arguments, NULL);
    if (!strcmp(way, "clearenv") && clearenv() == 0) execv(program, arguments);
    if (!strcmp(way, "setenv") && setenv("A", "new", 1) == 0 && setenv("NEW", "1", 1) == 0) execvp(program, arguments);
    if (!strcmp(way, "loader")) execl("/lib64/ld-linux-x86-64.so.2", "ld.so", program, "--show", way, NULL);
    _exit(9);
  }
  return child < 0 || wait(NULL) != child;
}

/// Not even a wrapper of syscall() is called.
static long become(char* program, char** environment) {
  char* const arguments[] = {program, "--show", NULL};
  long result = SYS_execve;
  __asm__ volatile("syscall" : "+a"(result) : "D"(program), "S"(arguments), "d"(environment) : "rcx", "r11", "memory");
  return result;
}

int main(int count, char** arguments, char** environment) {
  if (count > 1 && !strcmp(arguments[1], "--show")) {
    show(count, arguments, environment);
    return 0;
  }
  if (count > 3 && !strcmp(arguments[1], "--without")) {
    unsetenv(arguments[2]);
    return (int)become(arguments[3], environ);
  }
  show(count, arguments, environment);
  for (int i = 1; i < count; ++i) {
    printf("== %s\n", arguments[i]);
    fflush(stdout);
    printf("result %d\n", start(arguments[i], arguments[0]));
    fflush(stdout);
  }
  return 0;
}
