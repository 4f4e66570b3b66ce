// POSIX asynchronous I/O in all its forms on one file; what it prints and leaves is the same anywhere.
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static sem_t told;
static int signalled;

static void by_signal(int number, siginfo_t* info, void* context) { signalled = info->si_value.sival_int; }

static void by_thread(union sigval value) {
  *(int*)value.sival_ptr += 1;
  sem_post(&told);
}

static void finish(const char* what, struct aiocb* request) {
  const struct aiocb* list[] = {request};
  while (aio_error(request) == EINPROGRESS) aio_suspend(list, 1, NULL);
  const int error = aio_error(request);
  printf("%s: %s, %zd\n", what, strerror(error), aio_return(request));
}

int main(int count, char** arguments) {
  char back[20] = "", more[20] = "", outside[20] = "";
  int thread_calls = 0, fd = open(arguments[1], O_RDWR | O_CREAT, 0666),
      local = open(arguments[2], O_RDWR | O_CREAT, 0666);
  const int reads = open(arguments[1], O_RDONLY);
  sem_init(&told, 0, 0);
  struct sigaction action = {.sa_sigaction = by_signal, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);

  struct aiocb one = {.aio_fildes = fd, .aio_buf = "hello world", .aio_nbytes = 11};
  errno = 77;
  printf("begun %d, errno %d\n", aio_write(&one), errno);
  finish("write", &one);
  struct aiocb two = {.aio_fildes = fd, .aio_buf = back, .aio_nbytes = 19, .aio_offset = 6};
  two.aio_sigevent =
      (struct sigevent){.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 5};
  aio_read(&two);
  finish("read", &two);
  while (signalled == 0) usleep(1000);
  printf("%s %d\n", back, signalled);

  struct aiocb all[4] = {
      {.aio_fildes = fd, .aio_buf = "HELLO", .aio_nbytes = 5, .aio_lio_opcode = LIO_WRITE},
      {.aio_fildes = local, .aio_buf = "local", .aio_nbytes = 5, .aio_lio_opcode = LIO_WRITE},
      {.aio_fildes = fd, .aio_lio_opcode = LIO_NOP},
      {.aio_fildes = fd, .aio_buf = more, .aio_nbytes = 5, .aio_offset = 6, .aio_lio_opcode = LIO_READ}};
  all[0].aio_sigevent.sigev_notify = SIGEV_THREAD;
  all[0].aio_sigevent.sigev_notify_function = by_thread;
  all[0].aio_sigevent.sigev_value.sival_ptr = &thread_calls;
  struct aiocb* list[] = {&all[0], NULL, &all[1], &all[2], &all[3]};
  printf("list %d\n", lio_listio(LIO_WAIT, list, 5, NULL));
  sem_wait(&told);
  finish("first", &all[0]), finish("second", &all[1]), finish("third", &all[3]);
  printf("%s, %d\n", more, thread_calls);

  struct aiocb wrong = {.aio_fildes = reads, .aio_buf = "x", .aio_nbytes = 1, .aio_lio_opcode = LIO_WRITE};
  struct aiocb* single[] = {&wrong};
  printf("wrong %d", lio_listio(LIO_WAIT, single, 1, NULL));
  printf(" %s\n", strerror(errno));
  finish("wrong", &wrong);
  struct sigevent event = {
      .sigev_notify = SIGEV_THREAD, .sigev_notify_function = by_thread, .sigev_value.sival_ptr = &thread_calls};
  all[0].aio_sigevent.sigev_notify = SIGEV_NONE;
  printf("no wait %d\n", lio_listio(LIO_NOWAIT, list, 5, &event));
  sem_wait(&told);
  finish("first", &all[0]), finish("second", &all[1]), finish("third", &all[3]);

  struct aiocb sync = {.aio_fildes = fd};
  printf("sync %d %d\n", aio_fsync(O_SYNC, &sync), aio_fsync(12345, &one));
  finish("sync", &sync);
  struct aiocb hurried = {.aio_fildes = fd, .aio_buf = "x", .aio_nbytes = 1, .aio_reqprio = -1};
  printf("priority %d %s\n", aio_write(&hurried), strerror(errno));
  printf("cancel %d %d\n", aio_cancel(fd, NULL) == AIO_ALLDONE, aio_cancel(fd, &sync) == AIO_ALLDONE);
  pread(local, outside, 19, 0);
  printf("%s\n", outside);
  return close(fd) | close(local) | close(reads);
}
