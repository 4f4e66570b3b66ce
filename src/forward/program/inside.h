// One call of the program that is being forwarded. Meanwhile signals wait and the thread cannot be cancelled, so that
// no handler finds the client's locks and memory half done, and none leaves by siglongjmp.
#pragma once
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include <initializer_list>

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

/// A function of the table, as one call.
template <auto function>
struct Entry;
template <typename R, typename... A, R (*function)(A...)>
struct Entry<function> {
  static R call(A... arguments) {
    const Inside inside;
    settle_gathered();
    return function(arguments...);
  }
  /// The same for one that may be gathered.
  static R call_gathering(A... arguments) {
    const Inside inside;
    return function(arguments...);
  }
};

template <typename R = int>
R fail(int error) {
  errno = error;
  return static_cast<R>(-1);
}

}  // namespace headrace::forward::program
