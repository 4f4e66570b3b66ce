#include "capture/recorder/phase_instances.h"

#include "capture/recorder/phase_sums.h"

namespace headrace::capture {
namespace {

constexpr uint64_t kInstancesShare = 4;  // of the memory limit
constexpr uint32_t kMost = 256;          // of all phases; a log of very many ranks has as many of each
constexpr uint32_t kFewest = 8;          // a phase is not thinned below
uint64_t bytes_in_use;
uint32_t in_use;

bool is_regular(const Phase& phase, uint64_t number) {
  return ((number - 1) & ((uint64_t{1} << phase.every) - 1)) == 0;
}

uint64_t time_of(const PhaseInstance& instance) { return instance.end - instance.begin; }

bool is_slow(const Phase& phase, uint32_t offset) {
  for (uint32_t slow : phase.slow)
    if (slow == offset) return true;
  return false;
}

/// Where the fastest of the slowest is kept, or a free place.
uint32_t* least_slow(Phase& phase) {
  uint32_t* least = &phase.slow[0];
  for (uint32_t& slow : phase.slow) {
    if (!slow) return &slow;
    if (time_of(*at<PhaseInstance>(slow)) < time_of(*at<PhaseInstance>(*least))) least = &slow;
  }
  return least;
}

uint64_t bytes_in(const PhaseInstance& instance) {
  return sizeof instance + bytes_of_function_sums(instance.functions) + bytes_of_size_sums(instance.sizes) +
         (instance.series ? sizeof(PhaseSeries) : 0);
}

void drop(Phase& phase, uint32_t offset) {
  for (uint32_t* link = &phase.first_instance; *link; link = &at<PhaseInstance>(*link)->next) {
    if (*link != offset) continue;
    auto* instance = at<PhaseInstance>(offset);
    *link = instance->next;
    bytes_in_use -= bytes_in(*instance);
    release_function_sums(instance->functions);
    release_size_sums(instance->sizes);
    if (instance->series) release(instance->series, sizeof(PhaseSeries));
    release(offset, sizeof(PhaseInstance));
    phase.kept--;
    in_use--;
    spool.header->dropped_instances++;
    return;
  }
}

void thin(Phase& phase) {
  phase.every++;
  for (uint32_t offset = phase.first_instance; offset;) {
    const auto* instance = at<PhaseInstance>(offset);
    const uint32_t next = instance->next;
    if (!is_regular(phase, instance->number) && !is_slow(phase, offset)) drop(phase, offset);
    offset = next;
  }
}

Phase* most_kept() {
  Phase* most = nullptr;
  for (uint32_t offset = spool.header->first_phase; offset; offset = at<Phase>(offset)->next)
    if (auto* phase = at<Phase>(offset); !most || phase->kept > most->kept) most = phase;
  return most;
}

/// Whether another instance fits the share; others are thinned out for it.
bool make_room() {
  const uint64_t share = spool.header->limit / kInstancesShare;
  while (bytes_in_use >= share || in_use >= kMost) {
    Phase* most = most_kept();
    if (!most || most->kept <= kFewest || most->every >= 63) return false;
    thin(*most);
  }
  return true;
}

bool fill(PhaseInstance& instance, const OpenPhase& open) {
  if (!add_sums(&instance.functions, &instance.sizes)) return false;
  bool moved = false;
  for (const auto& bin : open.series.bytes) moved |= (bin[0] | bin[1] | bin[2]) != 0;
  if (!moved) return true;
  instance.series = allocate(sizeof(PhaseSeries));
  if (instance.series) __builtin_memcpy(at<PhaseSeries>(instance.series), &open.series, sizeof(PhaseSeries));
  return instance.series != 0;
}

}  // namespace

void keep_instance(Phase& phase, const EndedPhase& ended, const OpenPhase& open) {
  uint32_t* slow = least_slow(phase);
  const bool is_slowest = !*slow || ended.end - ended.begin > time_of(*at<PhaseInstance>(*slow));
  const auto wanted = [&] { return is_slowest || is_regular(phase, ended.number); };
  if (!wanted() || !make_room() || !wanted()) {  // making room may thin out this very phase
    spool.header->dropped_instances++;
    return;
  }
  const uint32_t offset = allocate(sizeof(PhaseInstance));
  PhaseInstance* instance = offset ? at<PhaseInstance>(offset) : nullptr;
  if (!instance || !fill(*instance, open)) {
    if (instance) {
      release_function_sums(instance->functions);
      release_size_sums(instance->sizes);
      release(offset, sizeof(PhaseInstance));
    }
    spool.header->dropped_instances++;
    return;
  }
  instance->number = ended.number;
  instance->begin = ended.begin;
  instance->end = ended.end;
  instance->ended = ended.ended;
  instance->next = phase.first_instance;
  __atomic_store_n(&phase.first_instance, offset, __ATOMIC_RELEASE);
  phase.kept++;
  in_use++;
  bytes_in_use += bytes_in(*instance);
  slow = least_slow(phase);  // thinning may have changed it
  if (*slow && ended.end - ended.begin <= time_of(*at<PhaseInstance>(*slow))) return;
  const uint32_t former = *slow;
  *slow = offset;
  if (former && !is_regular(phase, at<PhaseInstance>(former)->number)) drop(phase, former);
}

void reset_instances() { bytes_in_use = in_use = 0; }

}  // namespace headrace::capture
