// Shards that threads share, where there is no memory for one of each: whoever needs one has it to itself until its
// section ends. Signals wait meanwhile, as with SpoolLock, so that no handler leaves it taken by siglongjmp.
//
// A section has one at a time: to get another record's gives up the one before. Memory may be asked for with one taken,
// never the other way round.
#pragma once
#include "capture/recorder/state.h"

namespace headrace::capture {

/// The shard that threads share of a record that is shared and referenced; null: there is no memory for one. Inside a
/// section; not inside the lock.
Shard* shared_shard(uint32_t record, Layer layer);

/// From now on threads that have no shard of the record share one. Any time.
void share(uint32_t record);

/// For what finds no room in a shard of the thread's own: the one that threads share of the record, which is
/// referenced; else that of its directory's roll-up, or of one above it, and the record is told to lack that. Null:
/// there is none, and no memory for one. Inside a section; not inside the lock.
Shard* shard_without_room(uint32_t record, Layer layer);

/// Gives up the one that the calling thread has. It stays in its section, where signals come again.
void give_up_shared();

/// Gives up that of a section that never goes on.
void release_shared(ThreadBlock* left);

}  // namespace headrace::capture
