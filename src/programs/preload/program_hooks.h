// The layer above the recorder that has programs executed which are forwarded: from a copy in memory, or by their
// interpreter. The recorder then sees a program as others are. Without --forward, and in static programs, it is a test
// of a variable that never changes.
#pragma once
#include <string.h>

#include "programs/preload/forwarding.h"

namespace headrace::preload {

template <class Next>
struct ProgramHooks : Next {
  static int execve(const char* path, char* const* arguments, char* const* environment) {
    return execveat(AT_FDCWD, path, arguments, environment, 0);
  }
  static int execv(const char* path, char* const* arguments) { return execveat(AT_FDCWD, path, arguments, environ, 0); }
  static int execvp(const char* file, char* const* arguments) { return execvpe(file, arguments, environ); }
  static int execvpe(const char* file, char* const* arguments, char* const* environment) {
    int result;
    if (executed(AT_FDCWD, file, kInPath | kTextToShell, arguments, environment, &result)) return result;
    if (forwards() && strchr(file, '/')) file = forwarding->elsewhere(AT_FDCWD, file, 0);
    return Next::execvpe(file, arguments, environment);
  }
  static int fexecve(int fd, char* const* arguments, char* const* environment) {
    int result;
    if (is_forwarded(fd) && executed(fd, "", 0, arguments, environment, &result)) return result;
    return Next::fexecve(fd, arguments, environment);
  }
  static int execveat(int directory, const char* path, char* const* arguments, char* const* environment, int flags) {
    if (forwards() && path) {
      int result;
      const bool named = *path || (flags & AT_EMPTY_PATH);
      if (named && executed(directory, path, 0, arguments, environment, &result)) return result;
      path = forwarding->elsewhere(directory, path, 0);
    }
    if (directory == AT_FDCWD && flags == 0) return Next::execve(path, arguments, environment);
    return Next::execveat(directory, path, arguments, environment, flags);
  }

  static int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                         const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
    const auto spawn = [&](auto... a) { return Next::posix_spawn(child, a..., environment); };
    return spawned(path, 0, actions, attributes, arguments, spawn);
  }
  static int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                          const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
    const auto spawn = [&](auto... a) { return Next::posix_spawnp(child, a..., environment); };
    return spawned(file, kInPath, actions, attributes, arguments, spawn);
  }
#if __GLIBC_PREREQ(2, 39)
  static int pidfd_spawn(int* process, const char* path, const posix_spawn_file_actions_t* actions,
                         const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
    const auto spawn = [&](auto... a) { return Next::pidfd_spawn(process, a..., environment); };
    return spawned(path, 0, actions, attributes, arguments, spawn);
  }
  static int pidfd_spawnp(int* process, const char* file, const posix_spawn_file_actions_t* actions,
                          const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
    const auto spawn = [&](auto... a) { return Next::pidfd_spawnp(process, a..., environment); };
    return spawned(file, kInPath, actions, attributes, arguments, spawn);
  }
#endif

 private:
  static constexpr unsigned kInPath = forward::program::kInPath, kTextToShell = forward::program::kTextToShell;

  /// False: the program is not forwarded. Otherwise it comes back only with an error.
  static bool executed(int directory, const char* path, unsigned how, char* const* arguments, char* const* environment,
                       int* result) {
    if (!forwards()) return false;
    forward::program::Program program;
    if (capture::in_vfork_child()) how |= forward::program::kInVforkChild;
    if (!forwarding->program(directory, path, how, arguments, &program, result)) return false;
    if (*result != 0) return true;
    *result = program.fd >= 0 ? Next::fexecve(program.fd, program.arguments, environment)
                              : Next::execve(program.path, program.arguments, environment);
    forwarding->forget_program(program);
    return true;
  }
  template <typename Call>
  static int spawned(const char* path, unsigned how, const posix_spawn_file_actions_t* actions,
                     const posix_spawnattr_t* attributes, char* const* arguments, Call call) {
    if (!forwards()) return call(path, actions, attributes, arguments);
    forward::program::Spawn spawn;
    const int saved = errno, error = forwarding->begin_spawn(path, how, actions, arguments, &spawn);
    errno = saved;
    if (error != 0) return error;
    const int result = call(spawn.path, spawn.actions, attributes, spawn.arguments);
    if (spawn.memory) forwarding->end_spawn(spawn);
    return result;
  }
};

}  // namespace headrace::preload
