#include "capture/recorder/posix_aio.h"

#include "base/start_code.h"
#include "capture/recorder/asynchronous.h"
#include "capture/recorder/frame_lock.h"
#include "capture/recorder/process.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kBegun = 1 << 12;

/// A forked child has none of its parent's, and finds this empty.
struct Begun {
  FrameLock lock;
  uint64_t without_place;
  BusyTime busy;
  PendingTable pending;
  alignas(64) char memory[kBegun * 96];
};
static_assert(sizeof(PendingOperation) + 8 <= 96);
std::atomic<Begun*> all_begun{nullptr};

Begun* make_begun() {
  Begun* found = all_begun.load(std::memory_order_acquire);
  if (found) return found;
  void* memory = base::map_anonymous(sizeof(Begun));
  if (!memory) return nullptr;
  if (base::kernel_call(SYS_madvise, memory, sizeof(Begun), MADV_WIPEONFORK) == 0 &&
      all_begun.compare_exchange_strong(found, static_cast<Begun*>(memory), std::memory_order_acq_rel))
    return static_cast<Begun*>(memory);
  base::unmap(memory, sizeof(Begun));
  return found;
}

/// False: nothing was done.
template <typename Do>
bool with_begun(const void* frame, Begun* all, Do what) {
  constexpr uint32_t kAttempts = 200'000;  // what is not noted here would be lost
  if (!all || in_vfork_child() || !ready() || !state.enabled) return false;
  if (!all->lock.take(frame, kAttempts)) return false;
  const int saved = errno;
  if (!all->pending.has_room()) all->pending.use(all->memory, kBegun);
  what(*all);
  errno = saved;
  all->lock.give();
  return true;
}

uint64_t key_of(const struct aiocb* request) { return reinterpret_cast<uint64_t>(request); }

/// Nobody will fetch the result any more.
void settle_request(Begun& all, PendingOperation* p) {
  PendingOperation gone = *p;
  all.pending.remove(p);
  if (!gone.doubtful) return lose_operation(gone, all.busy);
  const uint64_t end = gone.address;
  gone.address = 0;
  all.busy.begin(gone.start);
  count_operation(gone, static_cast<int64_t>(gone.group), end, all.busy);
}

}  // namespace

void note_request(const struct aiocb* request, int operation) {
  if (passes_by() || (operation != LIO_READ && operation != LIO_WRITE)) return;
  with_begun(__builtin_frame_address(0), make_begun(), [&](Begun& all) {
    if (PendingOperation* old = all.pending.find(key_of(request))) settle_request(all, old);
    PendingOperation* p = all.pending.add(key_of(request));
    if (!p) {
      all.without_place++;
      return;
    }
    p->purpose = operation == LIO_READ ? Purpose::kRead : Purpose::kWrite;
    p->function = Fn::aio_return;
    p->start = base::ticks();
    p->fd = request->aio_fildes;
    p->offset = static_cast<uint64_t>(request->aio_offset);
    p->bytes = kAsMoved;
    keep_while_pending(p, tag_of(p->fd));
  });
}

bool take_request(const struct aiocb* request) {
  bool counts = true;
  with_begun(__builtin_frame_address(0), all_begun.load(std::memory_order_acquire), [&](Begun& all) {
    if (PendingOperation* p = all.pending.find(key_of(request))) {
      const PendingOperation gone = *p;
      all.pending.remove(p);
      let_go(gone);
    } else if (all.without_place != 0) {
      all.without_place--;
    } else {
      counts = false;
    }
  });
  return counts;
}

void keep_result(Fn function, const struct aiocb* request, ssize_t result, Timed time) {
  with_begun(__builtin_frame_address(0), all_begun.load(std::memory_order_acquire), [&](Begun& all) {
    PendingOperation* p = all.pending.find(key_of(request));
    if (!p || p->doubtful || !time.recorded()) return;
    p->doubtful = true;
    p->function = function;
    p->start = time.start;
    p->address = time.end;  // the rest of what settle_request() needs
    p->group = static_cast<uint64_t>(result);
  });
}

HEADRACE_AT_START void settle_requests() {
  with_begun(__builtin_frame_address(0), all_begun.load(std::memory_order_acquire),
             [&](Begun& all) { all.pending.each([&](PendingOperation* p) { settle_request(all, p); }); });
}

}  // namespace headrace::capture
