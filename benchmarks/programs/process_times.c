// Starts a command again and again and times each process from its start to its end.
//
//   process_times RUNS [NAME=VALUE…] -- COMMAND…
//
// NAME=VALUE are set for the command alone, so that a preloaded library measures the command and not this program.
// Prints `process WALL_NS CPU_NS EXIT_NS` for each run; CPU_NS includes the descendants that the command waited for,
// EXIT_NS is the time from the command's own `end NANOSECONDS` line until it is gone, or -1 if it printed none.
#include "measure.h"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

// Sets NAME=VALUE in this program's own environment: it has started, so a preload reaches its children only.
static void set_variable(char* setting) {
  char* value = strchr(setting, '=');
  if (value == NULL) {
    fprintf(stderr, "%s: give NAME=VALUE, and -- before the command\n", setting);
    exit(2);
  }
  *value++ = 0;
  if (setenv(setting, value, 1) != 0) fail("setenv");
}

// Starts the command with its standard output in a pipe; returns the pipe's reading end.
static int start(char** command, pid_t* child) {
  int ends[2];
  if (pipe(ends) != 0) fail("pipe");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addclose(&actions, ends[1]);
  int error = posix_spawnp(child, command[0], &actions, NULL, command, environ);
  if (error != 0) {
    fprintf(stderr, "%s: %s\n", command[0], strerror(error));
    exit(2);
  }
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  return ends[0];
}

// The number after "end " in what the command prints, or -1.
static long end_of_main(int output) {
  char text[4096];
  size_t length = 0;
  ssize_t got;
  while (length < sizeof text - 1 && (got = read(output, text + length, sizeof text - 1 - length)) > 0) {
    length += (size_t)got;
  }
  close(output);
  text[length] = 0;
  const char* line = strstr(text, "end ");
  return line == NULL ? -1 : atol(line + 4);
}

static void time_one(char** command) {
  pid_t child;
  long started = clock_ns(CLOCK_MONOTONIC);
  int output = start(command, &child);
  long end = end_of_main(output);
  int status;
  struct rusage used;
  if (wait4(child, &status, 0, &used) != child) fail("wait4");
  long gone = clock_ns(CLOCK_MONOTONIC);
  if (status != 0) {
    fprintf(stderr, "%s: ended with wait status %d\n", command[0], status);
    exit(2);
  }
  long cpu_us =
      (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000L + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
  printf("process %ld %ld %ld\n", gone - started, cpu_us * 1000, end < 0 ? -1 : gone - end);
}

int main(int argc, char** argv) {
  int separator = 1;
  while (separator < argc && strcmp(argv[separator], "--") != 0) ++separator;
  int runs = argc > 1 ? atoi(argv[1]) : 0;
  if (runs < 1 || separator + 1 >= argc) {
    fprintf(stderr, "usage: %s RUNS [NAME=VALUE...] -- COMMAND...\n", argv[0]);
    return 2;
  }
  for (int i = 2; i < separator; ++i) set_variable(argv[i]);
  for (int i = 0; i < runs; ++i) time_one(argv + separator + 1);
  return 0;
}
