// Requests of aio_read, aio_write and lio_listio that are under way. They are counted when aio_return fetches their
// result; of those whose result is only asked for (aio_error) or waited for (lio_listio) what they moved is kept, and
// counted when the request's memory is used anew, or at the end. The rest is lost, and said to be. Thread-safe; keeps
// errno.
#pragma once
#include <aio.h>
#include <sys/types.h>

#include "capture/recorder/calls.h"

namespace headrace::capture {

/// A request is about to be begun.
void note_request(const struct aiocb* request, int operation);
/// It was not, or aio_return fetched its result, which the caller counts. False: it was counted before.
bool take_request(const struct aiocb* request);
/// It is over; the caller knows the result, which nobody may ever fetch.
void keep_result(Fn function, const struct aiocb* request, ssize_t result, Timed time);
/// Counts those whose result is known, and what is lost: at the end of the image.
HEADRACE_COLD void settle_requests();

}  // namespace headrace::capture
