// How one shard is added to another, so that its memory is free. The world is stopped and the lock held.
#pragma once
#include "capture/recorder/state.h"

namespace headrace::capture {

/// The shard of thread 0 of a record in a layer, made if there is none, with all blocks that it may need, so that what
/// is added to it finds room; null: there is no memory. Lock held, the world stopped or not.
Shard* complete_shard(uint32_t record, Layer layer);
/// The same, null where it is not there yet, or not with all blocks. Inside a section.
Shard* complete_shard_there(uint32_t record, Layer layer);
inline constexpr uint32_t kCompleteBytes = sizeof(Shard) + 2 * (sizeof(Direction) + sizeof(Detail)) + sizeof(Metadata);

/// Before the first of those below: room for a copy of what a kill must not leave half done. False: there is none.
bool prepare_fold();
void forget_fold_copy();
/// Adds a shard to a complete one. `last_of_record`: with it a file more is in that.
void fold_shard(uint32_t victim, Shard* target, bool last_of_record);
/// Gives back a shard that no chain has any more.
void release_shard(uint32_t offset);

/// Of fewer threads each keeps its own shard of a record, which needs no lock.
inline constexpr uint32_t kCrowd = 4;

/// Of records that many threads count in, each in a shard of its own, makes one shard that they share. What threads
/// that wait in a section may go on with stays. Returns the bytes that are free now.
uint64_t join_shards();

}  // namespace headrace::capture
