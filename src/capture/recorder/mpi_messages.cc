#include "capture/recorder/mpi_messages.h"

#include <string.h>

#include "capture/recorder/events.h"

namespace headrace::capture::mpi {
namespace {

std::atomic<bool> some_cancelled;

void record(RawKind kind, Communicator* over, int peer, int tag, uint64_t bytes, uint64_t at) {
  const uint32_t other = over ? world_rank(*over, peer) : kNobody;
  if (over && other == kNobody) return pass_foreign_message();
  Update update;
  if (!over || at == 0 || in_vfork_child() || !update.enter_anew()) return miss_messages(1);
  if (const uint32_t number = number_of(over))
    record_operation(kind, Fn{}, number, at, at, static_cast<uint32_t>(tag), other, bytes, 0);
  else
    miss_messages(1);
  update.leave();
}

struct Origin {
  int source, tag;
};

Origin origin_in(const void* status) {
  Origin origin;
  memcpy(&origin, static_cast<const char*>(status) + found_library().status_source, sizeof origin);
  return origin;
}

bool was_cancelled(const void* status) {
  const Library& m = found_library();
  int cancelled = 0;
  return some_cancelled.load(std::memory_order_relaxed) && m.test_cancelled &&
         m.test_cancelled(status, &cancelled) == 0 && cancelled != 0;
}

uint64_t bytes_in(const void* status) {
  const Library& m = found_library();
  int64_t bytes = 0;
  int few = 0;
  if (m.get_elements && m.get_elements(status, m.byte_type, &bytes) == 0 && bytes >= 0)
    return static_cast<uint64_t>(bytes);
  return m.get_count && m.get_count(status, m.byte_type, &few) == 0 && few > 0 ? static_cast<uint64_t>(few) : 0;
}

}  // namespace

void record_send(Communicator* over, int peer, int tag, uint64_t bytes, Timed time) {
  if (peer >= 0) record(RawKind::kSend, over, peer, tag, bytes, time.start);
}

uint64_t record_receive(Communicator* over, const void* status, Timed time) {
  const Origin origin = origin_in(status);
  if (origin.source < 0 || was_cancelled(status)) return 0;  // negative: from nobody, or a request that was not active
  return record_receive_from(over, origin.source, origin.tag, bytes_in(status), time);
}

uint64_t record_receive_from(Communicator* over, int peer, int tag, uint64_t bytes, Timed time) {
  if (follows_messages()) record(RawKind::kReceive, over, peer, tag, bytes, time.end);
  return bytes;
}

void Spawning::record(Timed time, uint64_t bytes) const {
  const Library& m = found_library();
  int rank = -1, started = 0;
  if (follows_messages()) made.record(time, bytes);
  if (!m.comm_rank || !m.comm_remote_size || m.comm_rank(comm, &rank) != 0 || rank != root) return;
  if (m.comm_remote_size(handle_at(made.made, 0), &started) == 0 && started > 0 && spool.header)
    __atomic_fetch_add(&spool.header->spawned_ranks, static_cast<uint32_t>(started), __ATOMIC_RELAXED);
}

void expect_cancelled() { some_cancelled.store(true, std::memory_order_relaxed); }

}  // namespace headrace::capture::mpi
