// Hooks of the calls that start, replace or end a process.
#pragma once

#include <pthread.h>

#include "base/kernel.h"
#include "capture/recorder/environment.h"
#include "capture/recorder/file_hooks.h"
#include "capture/recorder/process.h"
#include "capture/recorder/stream.h"
#include "capture/recorder/target.h"
#include "capture/recorder/thread_starts.h"
#include "intercept/functions_headers.h"

namespace headrace::capture {

/// "/proc/self/fd/N" in this thread's scratch memory.
const char* path_of_descriptor(int fd);

template <class Next>
struct ProcessHooks : Next {
  // ---- a copy of this process
  static pid_t fork() {
    return on_fork([] { return Next::fork(); });
  }
  static pid_t _Fork() {
    return on_fork([] { return Next::_Fork(); });
  }

  // ---- threads: what waits is of the time when there was one
  static int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                            void* argument) {
    if (__libc_single_threaded) settle_all(Coming::kGoOn);
    NotedStart noted(start, argument);
    return noted.done(Next::pthread_create(thread, attributes, noted.start(), noted.argument()));
  }
  static int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
    if (__libc_single_threaded) settle_all(Coming::kGoOn);
    NotedStart noted(start, argument);
    return noted.done(Next::thrd_create(thread, noted.start(), noted.argument()));
  }

  // ---- another program in this process
  static int execve(const char* path, char* const* arguments, char* const* environment) {
    return on_exec(AT_FDCWD, path, environment, [&](char* const* e) { return Next::execve(path, arguments, e); });
  }
  static int execv(const char* path, char* const* arguments) {
    return on_exec(AT_FDCWD, path, environ, [&](char* const* e) { return Next::execve(path, arguments, e); });
  }
  static int execvp(const char* file, char* const* arguments) {
    return on_exec(AT_FDCWD, find_in_path(file), environ,
                   [&](char* const* e) { return Next::execvpe(file, arguments, e); });
  }
  static int execvpe(const char* file, char* const* arguments, char* const* environment) {
    return on_exec(AT_FDCWD, find_in_path(file), environment,
                   [&](char* const* e) { return Next::execvpe(file, arguments, e); });
  }
  static int fexecve(int fd, char* const* arguments, char* const* environment) {
    return on_exec(AT_FDCWD, path_of_descriptor(fd), environment,
                   [&](char* const* e) { return Next::fexecve(fd, arguments, e); });
  }
  static int execveat(int directory, const char* path, char* const* arguments, char* const* environment, int flags) {
    bool by_descriptor = path && !*path && (flags & AT_EMPTY_PATH);
    return on_exec(by_descriptor ? AT_FDCWD : directory, by_descriptor ? path_of_descriptor(directory) : path,
                   environment, [&](char* const* e) { return Next::execveat(directory, path, arguments, e, flags); });
  }

  // ---- another program in a new process
  static int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                         const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
    return on_spawn(path, child, environment, [&](pid_t* c, char* const* e) {
      return Next::posix_spawn(c, path, actions, attributes, arguments, e);
    });
  }
  static int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                          const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
    return on_spawn(find_in_path(file), child, environment, [&](pid_t* c, char* const* e) {
      return Next::posix_spawnp(c, file, actions, attributes, arguments, e);
    });
  }
#if __GLIBC_PREREQ(2, 39)
  static int pidfd_spawn(int* process, const char* path, const posix_spawn_file_actions_t* actions,
                         const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
    environment = of_spawned(path, environment);
    return Next::pidfd_spawn(process, path, actions, attributes, arguments, environment);
  }
  static int pidfd_spawnp(int* process, const char* file, const posix_spawn_file_actions_t* actions,
                          const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
    environment = of_spawned(find_in_path(file), environment);
    return Next::pidfd_spawnp(process, file, actions, attributes, arguments, environment);
  }
#endif
  static int system(const char* command) { return Next::system(CapturedCommand(command).text()); }
  static FILE* popen(const char* command, const char* mode) {
    FILE* stream = Next::popen(CapturedCommand(command).text(), mode);
    if (stream) forget_descriptor(descriptor_of(stream));
    return stream;
  }
  static int daemon(int keep_directory, int keep_streams) {
    end_image(0);  // the parent leaves inside the C library
    int result = Next::daemon(keep_directory, keep_streams);
    forget_working_directory();
    if (result != 0)
      keep_image();
    else if (!keep_streams)
      ProcessHooks::forget_range(0, 2);
    return result;
  }
  static pid_t forkpty(int* master, char* name, const struct termios* attributes, const struct winsize* size) {
    pid_t child = Next::forkpty(master, name, attributes, size);
    if (child == 0)
      ProcessHooks::forget_range(0, 2);
    else if (child > 0)
      forget_descriptor(*master);
    return child;
  }

  // ---- the end
  static void _exit(int status) {
    end_image(status);
    Next::_exit(status);
  }
  static void _Exit(int status) {
    end_image(status);
    Next::_Exit(status);
  }
  static void quick_exit(int status) {
    end_image(status);
    Next::quick_exit(status);
  }

 private:
#if __GLIBC_PREREQ(2, 39)
  /// Of a process whose number nobody learns.
  static char* const* of_spawned(const char* path, char* const* environment) {
    Target target = target_at(AT_FDCWD, path);
    const char*& reason = target.unfit;
    char* const* added = reason ? nullptr : with_additions(environment, target.runtime, &reason);
    if (reason) count_unnoted(1);
    return reason ? without_additions(environment) : added;
  }
#endif
  template <typename Call>
  static pid_t on_fork(Call call) {
    ThreadBlock* interrupted = interrupts_section() ? block : nullptr;
    if (!interrupted && __libc_single_threaded) settle_all(Coming::kGoOn);  // what waits is the parent's
    pid_t child = call();
    if (child == 0 && interrupted) forked_inside_section(interrupted);
    return child;
  }
  template <typename Call>
  static int on_exec(int directory, const char* path, char* const* environment, Call call) {
    ensure_thread();
    Target target = target_at(directory, path);
    const char*& reason = target.unfit;
    char* const* added = reason ? nullptr : with_additions(environment, target.runtime, &reason);
    if (!reason) {
      int result = replaced(added, call);
      if (errno != E2BIG) return result;
      reason = "too-large";  // perhaps without the additions it is not
    }
    Note note(reason, path, static_cast<int>(base::kernel_call(SYS_getpid)));
    if (!note.left()) count_unnoted(1);
    int result = replaced(without_additions(environment), call);
    if (!note.left()) count_unnoted(-1);
    note.withdraw();
    return result;
  }
  template <typename Call>
  static int replaced(char* const* environment, Call call) {
    replace_image();
    int result = call(environment);
    keep_image();
    return result;
  }
  template <typename Call>
  static int on_spawn(const char* path, pid_t* child, char* const* environment, Call call) {
    ensure_thread();
    Target target = target_at(AT_FDCWD, path);
    const char*& reason = target.unfit;
    pid_t id = 0;
    char* const* added = reason ? nullptr : with_additions(environment, target.runtime, &reason);
    int result = call(&id, reason ? without_additions(environment) : added);
    if (result == E2BIG && !reason) {
      reason = "too-large";
      result = call(&id, without_additions(environment));
    }
    if (result == 0 && child) *child = id;
    if (result == 0 && reason && !Note(reason, path, id).left()) count_unnoted(1);
    return result;
  }
};

}  // namespace headrace::capture
