// Marks phases in two translation units (more.c), in threads that all begin with it, and checks that errno stays.
#include <errno.h>
#include <headrace/phases.h>
#include <pthread.h>

void more(void);

static void* thread(void* name) {
  headrace_phase_begin(name);
  headrace_phase_end(name);
  return NULL;
}

int main(void) {
  errno = EXDEV;
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) {
    if (pthread_create(&threads[i], NULL, thread, "thread") != 0) return 1;
  }
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  headrace_phase_begin("dump");
  more();
  headrace_phase_end(NULL);
  void (*call)(const char*) = headrace_phase_end;  // it has an address like any function
  call("not open");
  return errno == EXDEV ? 0 : 2;
}
