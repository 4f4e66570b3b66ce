#include "capture/recorder/kernel_aio.h"

#include <linux/aio_abi.h>

#include "base/start_code.h"
#include "capture/recorder/frame_lock.h"
#include "capture/recorder/process.h"
#include "capture/recorder/readable.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kUnderWay = 1 << 14, kContexts = 64;

struct Context {
  uintptr_t number;  // 0: free
  BusyTime busy;
};

/// A forked child has no contexts, and finds this empty.
struct Requests {
  FrameLock lock;
  uint64_t without_place;
  Context contexts[kContexts];
  BusyTime others;  // of contexts beyond those
  PendingTable pending;
  alignas(64) char memory[kUnderWay * 96];
};
std::atomic<Requests*> all_requests{nullptr};

Requests* make_requests() {
  Requests* found = all_requests.load(std::memory_order_acquire);
  if (found) return found;
  void* memory = base::map_anonymous(sizeof(Requests));
  if (!memory) return nullptr;
  if (base::kernel_call(SYS_madvise, memory, sizeof(Requests), MADV_WIPEONFORK) == 0 &&
      all_requests.compare_exchange_strong(found, static_cast<Requests*>(memory), std::memory_order_acq_rel))
    return static_cast<Requests*>(memory);
  base::unmap(memory, sizeof(Requests));
  return found;
}

BusyTime& busy_of(Requests& all, uintptr_t number) {
  Context* free = nullptr;
  for (Context& context : all.contexts) {
    if (context.number == number) return context.busy;
    if (context.number == 0 && !free) free = &context;
  }
  if (!free) return all.others;
  *free = {number, {}};
  return free->busy;
}

Purpose purpose_of(uint16_t operation) {
  switch (operation) {
    case IOCB_CMD_PREAD:
    case IOCB_CMD_PREADV:
      return Purpose::kRead;
    case IOCB_CMD_PWRITE:
    case IOCB_CMD_PWRITEV:
      return Purpose::kWrite;
    case IOCB_CMD_FSYNC:
    case IOCB_CMD_FDSYNC:
      return Purpose::kSync;
    default:
      return Purpose::kOther;
  }
}

Fn function_of(Purpose purpose) {
  return purpose == Purpose::kRead    ? Fn::io_submit_read
         : purpose == Purpose::kWrite ? Fn::io_submit_write
                                      : Fn::io_submit_other;
}

void drop(Requests& all, PendingOperation* p, bool lost) {
  const PendingOperation gone = *p;
  all.pending.remove(p);
  BusyTime& busy = busy_of(all, gone.group);
  if (lost) return lose_operation(gone, busy);
  if (takes_time(gone) && busy.number != 0) --busy.number;
  let_go(gone);
}

void note_kernel_request(Requests& all, uintptr_t context, const iocb& request, uint64_t start) {
  const auto key = reinterpret_cast<uint64_t>(&request);
  // Memory that is used anew: the program took the result out of the context's own memory.
  if (PendingOperation* old = all.pending.find(key)) drop(all, old, true);
  PendingOperation* p = all.pending.add(key);
  if (!p) {
    all.without_place++;
    return lose_operations(1);
  }
  const bool vector = request.aio_lio_opcode == IOCB_CMD_PREADV || request.aio_lio_opcode == IOCB_CMD_PWRITEV;
  p->purpose = purpose_of(request.aio_lio_opcode);
  p->function = function_of(p->purpose);
  p->start = start;
  p->group = context;
  p->fd = static_cast<int>(request.aio_fildes);
  p->offset = static_cast<uint64_t>(request.aio_offset);
  p->bytes = vector ? kAsMoved : request.aio_nbytes;
  p->address = vector ? 0 : request.aio_buf;
  if (on_submission) on_submission(p->fd);
  if (p->purpose != Purpose::kOther) keep_while_pending(p, tag_of(p->fd));
  if (takes_time(*p)) busy_of(all, context).begin(start);
}

/// Does something with each request of a list, as far as it can be read.
template <typename Do>
void each_request(long first, long count, const void* requests, Do what) {
  Readable list, memory;
  const auto* at = static_cast<const iocb* const*>(requests);
  if (count <= first || count > kUnderWay) return;
  if (!list.covers(reinterpret_cast<uintptr_t>(at), static_cast<size_t>(count) * sizeof *at)) return;
  for (long i = first; i < count; ++i) {
    if (!memory.covers(reinterpret_cast<uintptr_t>(at[i]), sizeof(iocb))) return;
    what(*at[i]);
  }
}

template <typename Do>
void with_requests(const void* frame, Do what) {
  Requests* all = make_requests();
  constexpr uint32_t kAttempts = 200'000;  // what is not noted here would be lost
  if (!all || !all->lock.take(frame, kAttempts)) return;
  const int saved = errno;
  static_assert(sizeof all->memory >= kUnderWay * (sizeof(PendingOperation) + 8));
  if (!all->pending.has_room()) all->pending.use(all->memory, kUnderWay);
  what(*all);
  errno = saved;
  all->lock.give();
}

}  // namespace

void note_requests(uintptr_t context, long count, const void* requests, uint64_t start) {
  if (!ready() || !state.enabled) return;
  with_requests(__builtin_frame_address(0), [&](Requests& all) {
    each_request(0, count, requests, [&](const iocb& request) { note_kernel_request(all, context, request, start); });
  });
}

void withdraw_requests(long accepted, long count, const void* requests) {
  if (accepted >= count || !all_requests.load(std::memory_order_relaxed)) return;
  with_requests(__builtin_frame_address(0), [&](Requests& all) {
    each_request(accepted, count, requests, [&](const iocb& request) {
      if (PendingOperation* p = all.pending.find(reinterpret_cast<uint64_t>(&request))) drop(all, p, false);
    });
  });
}

void count_events(uintptr_t context, long count, const void* events, uint64_t now) {
  if (!ready() || !state.enabled) return;
  const auto* event = static_cast<const io_event*>(events);
  with_requests(__builtin_frame_address(0), [&](Requests& all) {
    for (long i = 0; i < count; ++i) {
      PendingOperation* p = all.pending.find(event[i].obj);
      if (p) {
        const PendingOperation operation = *p;
        all.pending.remove(p);
        count_operation(operation, event[i].res, now, busy_of(all, context));
      } else if (all.without_place != 0) {
        all.without_place--;
      } else {
        lose_operations(1);
      }
    }
  });
}

HEADRACE_AT_START void lose_requests(uintptr_t context) {
  if (!all_requests.load(std::memory_order_relaxed) || in_vfork_child() || !ready()) return;
  with_requests(__builtin_frame_address(0), [&](Requests& all) {
    all.pending.each([&](PendingOperation* p) {
      if (context == 0) all.without_place++;
      if (context == 0 || p->group == context) drop(all, p, true);
    });
    for (Context& each : all.contexts)
      if (each.number == context) each = {};
  });
}

}  // namespace headrace::capture
