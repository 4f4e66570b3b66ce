#include "programs/preload/forward_asynchronous_hooks.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace headrace::preload {
namespace {

constexpr int kMostLowered = 20;  // of a request's priority, as sysconf(_SC_AIO_PRIO_DELTA_MAX) has it

struct Notice {
  void (*function)(union sigval);
  union sigval value;
};

void* give_notice(void* given) {
  const Notice notice = *static_cast<Notice*>(given);
  free(given);
  notice.function(notice.value);
  return nullptr;
}

void call_in_thread(const struct sigevent& event) {
  auto* notice = static_cast<Notice*>(malloc(sizeof(Notice)));
  if (!notice) return;
  *notice = {event.sigev_notify_function, event.sigev_value};
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  const auto* attributes = static_cast<const pthread_attr_t*>(event.sigev_notify_attributes);
  if (pthread_create(&thread, attributes ? attributes : &detached, give_notice, notice) != 0) free(notice);
  pthread_attr_destroy(&detached);
}

/// As the C library tells that a request is over.
void tell(const struct sigevent& event) {
  if (event.sigev_notify == SIGEV_THREAD && event.sigev_notify_function) call_in_thread(event);
  if (event.sigev_notify != SIGEV_SIGNAL) return;
  siginfo_t info = {};
  info.si_signo = event.sigev_signo;
  info.si_code = SI_ASYNCIO;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value = event.sigev_value;
  syscall(SYS_rt_sigqueueinfo, info.si_pid, info.si_signo, &info);
}

/// The C library's aio_error(), aio_return() and aio_suspend() look at what stands in the request.
int finish(struct aiocb* request, ssize_t result, int saved) {
  request->__return_value = result;
  __atomic_store_n(&request->__error_code, result < 0 ? errno : 0, __ATOMIC_RELEASE);
  errno = saved;
  tell(request->aio_sigevent);
  return 0;
}

int refuse(struct aiocb* request) {
  request->__return_value = -1;
  request->__error_code = EINVAL;
  return errno = EINVAL, -1;
}

bool is_forwarded_one(const struct aiocb* request) {
  return request && (request->aio_lio_opcode == LIO_READ || request->aio_lio_opcode == LIO_WRITE) &&
         is_forwarded(request->aio_fildes);
}

}  // namespace

int forwarded_request(struct aiocb* request, int operation) {
  if (request->aio_reqprio < 0 || request->aio_reqprio > kMostLowered) return refuse(request);
  const int saved = errno, fd = request->aio_fildes;
  const iovec part{const_cast<void*>(request->aio_buf), request->aio_nbytes};
  const ssize_t moved = operation == LIO_READ ? forwarding->preadv(fd, &part, 1, request->aio_offset)
                                              : forwarding->pwritev(fd, &part, 1, request->aio_offset);
  return finish(request, moved, saved);
}

int forwarded_sync_request(int operation, struct aiocb* request) {
  if (operation != O_SYNC && operation != O_DSYNC) return errno = EINVAL, -1;
  const int saved = errno;
  return finish(request, forwarding->fsync(request->aio_fildes), saved);
}

bool forwarded_requests(struct aiocb* const* list, int count, struct aiocb*** rest, bool* failed) {
  bool any = false;
  for (int i = 0; i < count && !any; ++i) any = is_forwarded_one(list[i]);
  if (!any) return false;
  *rest = static_cast<struct aiocb**>(malloc(sizeof(struct aiocb*) * static_cast<size_t>(count)));
  for (int i = 0; *rest && i < count; ++i) {
    (*rest)[i] = list[i];
    if (!is_forwarded_one(list[i])) continue;
    (*rest)[i] = nullptr;
    const int saved = errno;
    const bool begun = forwarded_request(list[i], list[i]->aio_lio_opcode) == 0;
    errno = saved;
    *failed = *failed || !begun || list[i]->__error_code != 0;
  }
  return true;
}

}  // namespace headrace::preload
