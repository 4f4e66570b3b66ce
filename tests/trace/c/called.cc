// Functions of many kinds, compiled with -finstrument-functions.
#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <thread>

extern "C" int of_library(int value);

namespace shapes {

template <typename T>
__attribute__((noinline)) T area(T side) {
  return side * side;
}

struct Square {
  __attribute__((noinline)) int grow(int by) const { return area(by); }
};

}  // namespace shapes

static __attribute__((noinline)) int hidden(int value) { return value + 1; }
static __attribute__((noinline)) int recursive(int level) { return level == 0 ? 0 : recursive(level - 1) + 1; }
static __attribute__((noinline)) void thrower() { throw std::runtime_error("thrown"); }
static __attribute__((noinline)) void catcher() {
  try {
    thrower();
  } catch (const std::runtime_error&) {
  }
}

static jmp_buf back;
static __attribute__((noinline)) void jumper() { longjmp(back, 1); }
static __attribute__((noinline)) void between() { jumper(); }
static __attribute__((noinline)) void lander() {
  if (setjmp(back) == 0) between();
}

static __attribute__((noinline)) void handler(int) { (void)hidden(2); }
static void work() {
  for (int i = 0; i < 100; ++i) (void)hidden(i);
}

int main() {
  for (int i = 0; i < 10; ++i) (void)shapes::Square().grow(i);
  (void)recursive(20);
  catcher();
  lander();
  (void)of_library(1);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  std::thread one(work), other(work);
  one.join();
  other.join();
  if (const pid_t child = fork(); child == 0) {
    work();
    _exit(0);
  } else {
    waitpid(child, nullptr, 0);
  }
  return 0;
}
