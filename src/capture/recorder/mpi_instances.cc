#include "capture/recorder/mpi_instances.h"

#include <atomic>

#include "capture/recorder/on_demand.h"

namespace headrace::capture::mpi {
namespace {

constexpr uint32_t kKinds = 4096, kTries = 16;

struct InstanceKind {
  std::atomic<uint64_t> kind;  // 0: free
  std::atomic<uint32_t> made;
};
struct Kinds {
  InstanceKind of[kKinds];
};
constinit OnDemand<Kinds> kinds;

}  // namespace

uint32_t instances_before(uint64_t kind) {
  Kinds* known = kinds.get();
  for (uint32_t i = 0; known && i < kTries; ++i) {
    InstanceKind& place = known->of[(kind + i) % kKinds];
    uint64_t there = 0;
    if (place.kind.compare_exchange_strong(there, kind) || there == kind) return place.made.fetch_add(1);
  }
  return 0;
}

}  // namespace headrace::capture::mpi
