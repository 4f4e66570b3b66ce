// Threads that wait for each other, each at a time that the other one chooses: it goes on when the first one sleeps.
// Says "ok" if everything was as POSIX says.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define CHECK(it) ((it) ? (void)0 : (fprintf(stderr, "line %d: %s\n", __LINE__, #it), exit(2)))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static mtx_t plain;
static cnd_t condition;
static atomic_int waiter, cleaned, held;
static _Bool flag;

static void i_wait(void) { waiter = (int)syscall(SYS_gettid); }

/// The thread that said that it will wait does.
static void until_asleep(void) {
  char path[64], text[256], state = 0;
  while (waiter == 0) sched_yield();
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)waiter);
  while (state != 'S') {
    FILE* stat = fopen(path, "r");
    CHECK(stat && fgets(text, sizeof text, stat));
    CHECK(sscanf(text, "%*d (%*[^)]) %c", &state) == 1);
    fclose(stat);
  }
  waiter = 0;
}

static struct timespec in(clockid_t clock, long ns) {
  struct timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += ns;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

static pthread_t start(void* (*what)(void*), void* argument) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, what, argument) == 0);
  return thread;
}

static void* lets_go(void* kind) {
  until_asleep();
  switch ((intptr_t)kind) {
    case 0:
      pthread_mutex_unlock(&mutex);
      break;
    case 1:
      pthread_mutex_lock(&mutex);
      flag = 1;
      pthread_cond_signal(&cond);
      pthread_mutex_unlock(&mutex);
      break;
    case 2:
      sem_post(&semaphore);
      break;
    case 3:
      pthread_barrier_wait(&barrier);
      break;
    case 4:
      mtx_lock(&plain);
      flag = 1;
      cnd_signal(&condition);
      mtx_unlock(&plain);
      break;
  }
  return NULL;
}

static void* holds_rwlock(void* unused) {
  pthread_rwlock_wrlock(&rwlock);
  held = 1;
  until_asleep();
  pthread_rwlock_unlock(&rwlock);
  return unused;
}

static void* holds_mutex(void* unused) {
  pthread_mutex_lock(&mutex);
  held = 1;
  until_asleep();
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void blocked_once_each(void) {
  pthread_t other = start(holds_mutex, NULL);
  while (!held) sched_yield();
  i_wait();
  CHECK(pthread_mutex_lock(&mutex) == 0);
  pthread_mutex_unlock(&mutex);
  CHECK(pthread_join(other, NULL) == 0);
  held = 0;
  other = start(holds_rwlock, NULL);
  while (!held) sched_yield();
  i_wait();
  CHECK(pthread_rwlock_rdlock(&rwlock) == 0);
  pthread_rwlock_unlock(&rwlock);
  CHECK(pthread_join(other, NULL) == 0);
  other = start(lets_go, (void*)1);
  pthread_mutex_lock(&mutex);
  i_wait();
  while (!flag) CHECK(pthread_cond_wait(&cond, &mutex) == 0);
  pthread_mutex_unlock(&mutex);
  CHECK(pthread_join(other, NULL) == 0);
  flag = 0;
  sem_init(&semaphore, 0, 0);
  other = start(lets_go, (void*)2);
  i_wait();
  errno = 77;
  CHECK(sem_wait(&semaphore) == 0 && errno == 77);
  CHECK(pthread_join(other, NULL) == 0);
  pthread_barrier_init(&barrier, NULL, 2);
  other = start(lets_go, (void*)3);
  i_wait();
  pthread_barrier_wait(&barrier);
  CHECK(pthread_join(other, NULL) == 0);
  mtx_init(&plain, mtx_plain);
  cnd_init(&condition);
  other = start(lets_go, (void*)4);
  mtx_lock(&plain);
  i_wait();
  while (!flag) CHECK(cnd_wait(&condition, &plain) == thrd_success);
  mtx_unlock(&plain);
  CHECK(pthread_join(other, NULL) == 0);
}

static void free_ones(void) {
  pthread_spin_init(&spin, 0);
  for (int i = 0; i < 1000; ++i) {
    CHECK(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
    CHECK(pthread_spin_lock(&spin) == 0 && pthread_spin_unlock(&spin) == 0);
    CHECK(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
    CHECK(pthread_rwlock_wrlock(&rwlock) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
    CHECK(sem_post(&semaphore) == 0 && sem_wait(&semaphore) == 0);
    CHECK(mtx_lock(&plain) == thrd_success && mtx_unlock(&plain) == thrd_success);
  }
}

static pthread_mutex_t special;

static void* dies_with_it(void* unused) {
  CHECK(pthread_mutex_lock(&special) == 0);
  return unused;
}

static void make(int type, int robust, int protocol) {
  pthread_mutexattr_t how;
  pthread_mutexattr_init(&how);
  pthread_mutexattr_settype(&how, type);
  pthread_mutexattr_setrobust(&how, robust);
  pthread_mutexattr_setprotocol(&how, protocol);
  CHECK(pthread_mutex_init(&special, &how) == 0);
  pthread_mutexattr_destroy(&how);
}

static void kinds_of_mutexes(void) {
  for (int protocol = 0; protocol < 2; ++protocol) {
    const int inherit = protocol ? PTHREAD_PRIO_INHERIT : PTHREAD_PRIO_NONE;
    make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, inherit);
    CHECK(pthread_mutex_lock(&special) == 0 && pthread_mutex_lock(&special) == EDEADLK);
    CHECK(pthread_mutex_unlock(&special) == 0 && pthread_mutex_unlock(&special) == EPERM);
    make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, inherit);
    CHECK(pthread_mutex_lock(&special) == 0 && pthread_mutex_lock(&special) == 0);
    CHECK(pthread_mutex_unlock(&special) == 0 && pthread_mutex_unlock(&special) == 0);
    CHECK(pthread_mutex_unlock(&special) == EPERM);
    make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, inherit);
    pthread_join(start(dies_with_it, NULL), NULL);
    CHECK(pthread_mutex_lock(&special) == EOWNERDEAD && pthread_mutex_unlock(&special) == 0);
    CHECK(pthread_mutex_lock(&special) == ENOTRECOVERABLE);
  }
  make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
  pthread_mutex_lock(&special);
  struct timespec soon = in(CLOCK_REALTIME, 1000000), never = {0, -1};
  CHECK(pthread_mutex_timedlock(&special, &soon) == ETIMEDOUT);
  CHECK(pthread_mutex_clocklock(&special, 99, &soon) == EINVAL);
  pthread_mutex_unlock(&special);
  CHECK(pthread_mutex_clocklock(&special, 99, &soon) == EINVAL);
  CHECK(pthread_mutex_clocklock(&special, CLOCK_MONOTONIC, &soon) == 0);
  CHECK(pthread_rwlock_timedrdlock(&rwlock, &never) == EINVAL);
  CHECK(pthread_rwlock_timedwrlock(&rwlock, &soon) == 0 && pthread_rwlock_unlock(&rwlock) == 0);
  CHECK(sem_timedwait(&semaphore, &never) == -1 && errno == EINVAL);
  CHECK(sem_timedwait(&semaphore, &soon) == -1 && errno == ETIMEDOUT);
  pthread_mutex_lock(&mutex);
  CHECK(pthread_cond_timedwait(&cond, &mutex, &soon) == ETIMEDOUT);
  soon = in(CLOCK_MONOTONIC, 1000000);
  CHECK(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
  pthread_mutex_unlock(&mutex);
}

static void clean(void* lock) {
  if (lock) pthread_mutex_unlock(lock);
  ++cleaned;
}

static void* waits_for_ever(void* kind) {
  pthread_cleanup_push(clean, kind ? NULL : &mutex);
  if (!kind) pthread_mutex_lock(&mutex);
  i_wait();
  if (kind)
    sem_wait(&semaphore);
  else
    for (;;) pthread_cond_wait(&cond, &mutex);
  pthread_cleanup_pop(0);
  return NULL;
}

/// Only sem_wait can be cancelled here, and never has to wait.
static void* waits_without_waiting(void* unused) {
  i_wait();
  for (;;) {
    sem_post(&semaphore);
    sem_wait(&semaphore);
  }
  return unused;
}

static void cancelled(void) {
  void* result;
  for (intptr_t kind = 0; kind < 2; ++kind) {
    pthread_t other = start(waits_for_ever, (void*)kind);
    until_asleep();
    CHECK(pthread_cancel(other) == 0 && pthread_join(other, &result) == 0);
    CHECK(result == PTHREAD_CANCELED && cleaned == kind + 1);
  }
  CHECK(pthread_mutex_trylock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0);
  pthread_t other = start(waits_without_waiting, NULL);
  while (waiter == 0) sched_yield();
  CHECK(pthread_cancel(other) == 0 && pthread_join(other, &result) == 0 && result == PTHREAD_CANCELED);
  waiter = 0;
}

int main(void) {
  int status;
  sem_init(&semaphore, 0, 0);
  blocked_once_each();
  free_ones();
  kinds_of_mutexes();
  cancelled();
  const pid_t child = fork();
  if (child == 0) {
    held = 0;
    pthread_t other = start(holds_mutex, NULL);
    while (!held) sched_yield();
    i_wait();
    CHECK(pthread_mutex_lock(&mutex) == 0);
    pthread_mutex_unlock(&mutex);
    pthread_join(other, NULL);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  puts("ok");
  return 0;
}
