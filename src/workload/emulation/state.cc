#include "workload/emulation/state.h"

#include "base/hash.h"

namespace headrace::workload::emulation {
namespace {

/// Where the word of this tag is, or can be; what it is now in `word`.
Block* find(State& state, uint64_t hash, uint64_t tag, uint64_t* word) {
  for (uint32_t i = 0; i < kProbes; ++i) {
    Block& block = state.blocks[(hash + i) % kBlocks];
    *word = block.owner.load(std::memory_order_relaxed);
    if (*word == 0 || (*word & kTagMask) == tag) return &block;
  }
  return nullptr;
}

}  // namespace

Block* take_lock(State& state, uint64_t file, uint64_t block, uint32_t process, bool writes) {
  const uint64_t hash = base::mix(file, block), tag = hash & kTagMask, me = process & (kWritten - 1);
  uint64_t word = 0;
  while (true) {
    Block* found = find(state, hash, tag, &word);
    if (found == nullptr) {  // the table is full hereabouts: the first one's owner is forgotten
      found = &state.blocks[hash % kBlocks];
      word = found->owner.load(std::memory_order_relaxed);
    }
    const bool known = (word & kTagMask) == tag && word != 0;
    const uint64_t owner = word & kShared;
    const bool was_written = (word & kWritten) != 0, mine = known && owner == me;
    const bool conflicts = known && !mine && (writes || was_written);
    const uint64_t next = tag | (writes           ? kWritten | me
                                 : !known || mine ? (known ? word & kWritten : 0) | me
                                                  : kShared);
    if (word == next) return nullptr;
    if (!found->owner.compare_exchange_weak(word, next, std::memory_order_relaxed)) continue;
    if (word != 0 && !known) state.count(Counted::kForgotten);
    return conflicts ? found : nullptr;
  }
}

}  // namespace headrace::workload::emulation
