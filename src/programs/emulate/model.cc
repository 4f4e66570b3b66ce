#include "programs/emulate/model.h"

#include <algorithm>

#include "programs/emulate/real.h"
#include "workload/emulation/constants.h"
#include "workload/emulation/state_file.h"

namespace headrace::emulate {
namespace {

using workload::emulation::Block;
using workload::emulation::Constants;
using workload::emulation::FileCalls;
using workload::emulation::reserve;
using workload::emulation::State;

Constants constants;
State* state = nullptr;  // null: nothing is emulated
const char* state_path = nullptr;
/// Of this process alone: when its link is free again. Reading, writing.
std::atomic<uint64_t> own_link_free_at[2];

FileCalls file_calls() { return {REAL(open), REAL(posix_fallocate), REAL(close), REAL(mmap), REAL(unlink)}; }

__attribute__((constructor)) void configure() {
  using namespace workload::emulation;
  if (!read_handed_on(getenv(kConstantsVariable), &constants)) return;
  const char* path = getenv(kStateVariable);
  if (path != nullptr && path[0] == '/') state = join_state(path, file_calls());
  if (state != nullptr) {
    state_path = path;
    return;
  }
  // No room for what is shared: this process and its children have a file system of their own.
  void* own = REAL(mmap)(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (own != MAP_FAILED) state = static_cast<State*>(own);
}

__attribute__((destructor)) void leave() {
  if (state_path != nullptr) workload::emulation::leave_state(*state, state_path, file_calls());
}

uint64_t duration(uint64_t bytes, uint64_t bandwidth) {
  if (bandwidth == 0) return 0;
  return static_cast<uint64_t>(static_cast<unsigned __int128>(bytes) * 1'000'000'000 / bandwidth);
}

/// When the locks of all blocks are there.
uint64_t take_locks(uint64_t arrival, bool writes, uint64_t file, uint64_t offset, uint64_t bytes) {
  uint64_t end = arrival;
  const auto process = static_cast<uint32_t>(getpid());
  for (uint64_t block = offset / constants.lock_block; block <= (offset + bytes - 1) / constants.lock_block; ++block) {
    Block* lost = workload::emulation::take_lock(*state, file, block, process, writes);
    if (lost == nullptr) continue;
    state->count(Counted::kConflict);
    end = reserve(lost->free_at, end, constants.lock_conflict);
  }
  return end;
}

uint64_t service_time(Counted what) {
  switch (what) {
    case Counted::kCreate:
      return constants.create;
    case Counted::kOpen:
      return constants.open;
    case Counted::kClose:
      return constants.close;
    case Counted::kStat:
      return constants.stat;
    case Counted::kUnlink:
      return constants.unlink;
    case Counted::kRename:
      return constants.rename;
    case Counted::kMkdir:
      return constants.mkdir;
    case Counted::kRmdir:
      return constants.rmdir;
    default:
      return 0;
  }
}

}  // namespace

bool is_on() { return state != nullptr; }
bool has_locks() { return constants.lock_block != 0; }
uint64_t file_system() { return constants.file_system; }
uint64_t stripe_size() { return constants.lock_block; }
bool costs(Counted what) { return service_time(what) > 0; }

void wait_for_transfer(const Delay& delay, bool writes, uint64_t file, int64_t offset, uint64_t bytes, uint64_t calls) {
  const uint64_t arrival = delay.arrival();
  uint64_t deadline = arrival + calls * (writes ? constants.write : constants.read);
  for (uint64_t i = 0; i < calls; ++i) state->count(writes ? Counted::kWrite : Counted::kRead);
  if (has_locks() && offset >= 0 && bytes > 0)
    deadline += take_locks(arrival, writes, file, static_cast<uint64_t>(offset), bytes) - arrival;
  uint64_t link = arrival;
  if (const uint64_t shared = duration(bytes, writes ? constants.write_bandwidth : constants.read_bandwidth);
      shared > 0)
    link = reserve(state->link_free_at[writes ? 1 : 0], arrival, shared);
  const uint64_t own = duration(bytes, writes ? constants.process_write_bandwidth : constants.process_read_bandwidth);
  if (own > 0) link = std::max(link, reserve(own_link_free_at[writes ? 1 : 0], arrival, own));
  deadline += link - arrival;
  if (deadline > arrival) delay.until(deadline);
}

void wait_for_sync(const Delay& delay) {
  state->count(Counted::kSync);
  if (constants.sync > 0) delay.until(delay.arrival() + constants.sync);
}

void wait_for_metadata(const Delay& delay, Counted what, uint64_t directory) {
  state->count(what);
  const uint64_t service = service_time(what);
  if (service == 0) return;
  const uint64_t queue = constants.queue_per_directory != 0 ? directory % workload::emulation::kQueues : 0;
  delay.until(reserve(state->queue_free_at[queue], delay.arrival(), service) + constants.metadata_latency);
}

}  // namespace headrace::emulate
