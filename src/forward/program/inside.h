// One call of the program that is being forwarded. Meanwhile signals wait and the thread cannot be cancelled, so that
// no handler finds the client's locks and memory half done, and none leaves by siglongjmp.
#pragma once
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include <cstdint>
#include <initializer_list>
#include <tuple>
#include <type_traits>

#include "forward/program/gathering.h"

namespace headrace::forward::program {

class Inside {
 public:
  Inside() {
    sigset_t all;
    sigfillset(&all);
    // What a fault raises ends the program anyway, and blocked it would end it without a word.
    for (int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP}) sigdelset(&all, fault);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable_);
  }
  ~Inside() {
    const int saved = errno;
    pthread_setcancelstate(cancelable_, nullptr);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = saved;
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  sigset_t before_;
  int cancelable_ = 0;
};

/// errno after a call that succeeded is as it was before, whatever was done in between.
class Errno {
 public:
  template <typename R>
  R keep_unless_failed(R result) const {
    if (!failed(result)) errno = before_;
    return result;
  }
  /// Of functions that may have nothing to do: the last argument is then where the result is.
  template <typename Last>
  bool keep_unless_failed(bool done, Last last) const {
    constexpr bool has_result = std::is_same_v<Last, int*> || std::is_same_v<Last, ssize_t*> ||
                                std::is_same_v<Last, FILE**> || std::is_same_v<Last, DIR**>;
    if constexpr (has_result)
      if (done && failed(*last)) return done;
    errno = before_;
    return done;
  }

 private:
  template <typename R>
  static bool failed(R result) {
    if constexpr (std::is_pointer_v<R>)
      return result == nullptr || reinterpret_cast<intptr_t>(result) == -1;  // MAP_FAILED
    else
      return result < 0;
  }
  const int before_ = errno;
};

/// A function of the table, as one call.
template <auto function>
struct Entry;
template <typename R, typename... A, R (*function)(A...)>
struct Entry<function> {
  static R call(A... arguments) {
    const Errno before;
    const Inside inside;
    settle_gathered();
    return called(before, arguments...);
  }
  /// The same for one that may be gathered.
  static R call_gathering(A... arguments) {
    const Errno before;
    const Inside inside;
    return called(before, arguments...);
  }

 private:
  static R called(const Errno& before, A... arguments) {
    if constexpr (std::is_void_v<R>) {
      function(arguments...);
      before.keep_unless_failed(0);
    } else if constexpr (std::is_same_v<R, bool>) {
      const bool done = function(arguments...);
      return before.keep_unless_failed(done, std::get<sizeof...(A) - 1>(std::tie(arguments...)));
    } else {
      return before.keep_unless_failed(function(arguments...));
    }
  }
};

template <typename R = int>
R fail(int error) {
  errno = error;
  return static_cast<R>(-1);
}

}  // namespace headrace::forward::program
