// POSIX asynchronous I/O on forwarded descriptors. The C library's own threads make system calls that no wrapper sees.
#pragma once
#include <aio.h>

#include "programs/preload/forwarding.h"

namespace headrace::preload {

// forward_asynchronous.cc
/// Does a request of `operation`, LIO_READ or LIO_WRITE, before it returns, and tells of it as the request wants.
int forwarded_request(struct aiocb* request, int operation);
int forwarded_sync_request(int operation, struct aiocb* request);
/// Those of a list. False: there are none, and nothing was done. `rest` receives the list without them, to be freed;
/// null where there is no memory for it. `failed`: one of them could not be done.
bool forwarded_requests(struct aiocb* const* list, int count, struct aiocb*** rest, bool* failed);

template <class Next>
struct ForwardAsynchronous : Next {
  static int aio_read(struct aiocb* request) {
    return is_forwarded(request->aio_fildes) ? forwarded_request(request, LIO_READ) : Next::aio_read(request);
  }
  static int aio_write(struct aiocb* request) {
    return is_forwarded(request->aio_fildes) ? forwarded_request(request, LIO_WRITE) : Next::aio_write(request);
  }
  static int aio_fsync(int operation, struct aiocb* request) {
    if (is_forwarded(request->aio_fildes)) return forwarded_sync_request(operation, request);
    return Next::aio_fsync(operation, request);
  }
  /// The C library passes over requests that are null, and tells of the end of the list.
  static int lio_listio(int mode, struct aiocb* const* list, int count, struct sigevent* event) {
    struct aiocb** rest = nullptr;
    bool failed = false;
    if (!forwards() || (mode != LIO_WAIT && mode != LIO_NOWAIT) || !forwarded_requests(list, count, &rest, &failed))
      return Next::lio_listio(mode, list, count, event);
    if (!rest) return errno = EAGAIN, -1;
    const int result = Next::lio_listio(mode, rest, count, event);
    free(rest);
    return result == 0 && failed && mode == LIO_WAIT ? (errno = EIO, -1) : result;
  }

 private:
  static bool is_forwarded(int fd) { return preload::is_forwarded(fd); }
};

}  // namespace headrace::preload
