#include "programs/bench/interruption.h"

#include <semaphore.h>
#include <unistd.h>

namespace headrace::programs {

volatile sig_atomic_t stop_signal = 0;

namespace {

// Measured: Open MPI 5 kills a quarter of a second after its SIGTERM, Open MPI 4 a second. Slurm waits 30.
constexpr useconds_t kMomentUs = 100'000;

sem_t& woken() {
  static sem_t semaphore;
  static const int made = sem_init(&semaphore, 0, 0);
  (void)made;
  return semaphore;
}

void note_signal(int number) {
  stop_signal = number;
  sem_post(&woken());
}

}  // namespace

void take_signals() {
  woken();  // made outside of a handler
  struct sigaction action{};
  action.sa_handler = note_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
}

LastResort::LastResort(std::function<void()> remove) : remove_(std::move(remove)) {
  sigset_t all, before;  // the handlers are for the thread that works, whose calls they interrupt
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  runs_ = pthread_create(&thread_, nullptr, wait, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LastResort::~LastResort() {
  if (!runs_) return;
  sem_post(&woken());
  pthread_join(thread_, nullptr);
}

void* LastResort::wait(void* self) {
  while (sem_wait(&woken()) != 0) {
  }
  if (stop_signal == 0) return nullptr;  // woken by the destructor
  usleep(kMomentUs);
  static_cast<LastResort*>(self)->remove_();
  _exit(128 + stop_signal);
}

}  // namespace headrace::programs
