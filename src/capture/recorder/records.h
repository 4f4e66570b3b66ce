// Records (one a file and path) and their shards (one a thread block) in the spool.
#pragma once
#include <sys/single_threaded.h>

#include "capture/recorder/file_identity.h"
#include "capture/recorder/names.h"
#include "capture/recorder/spool.h"
#include "capture/recorder/update.h"

namespace headrace::capture {

/// Makes the hash table for a spool of `limit` bytes. False: no memory.
bool create_table(uint64_t limit);

/// The record of the file that has a name now, made if there is none, with one reference taken, so that no fold moves
/// it; 0 when even the roll-ups are full. A new record that finds no room becomes the roll-up of its directory.
/// `found`: what the kernel says of the file; without it the name decides. Inside a section.
uint32_t take_record(const PathName& name, RecordKind kind, FileIdentity found = 0);
/// The record of the file that has a name now, if there is one, with a reference taken; else 0. Inside a section.
uint32_t take_existing(uint64_t hash);
/// Gives the reference back.
HEADRACE_INLINE void drop_record(uint32_t record) {
  if (!record) return;
  uint32_t& references = at<Record>(record)->references;
  if (HEADRACE_LIKELY(__libc_single_threaded))
    references--;  // a locked instruction would be a third of this path
  else
    __atomic_fetch_sub(&references, 1, __ATOMIC_RELEASE);
}

HEADRACE_INLINE uint32_t take_reference(uint32_t record) {
  uint32_t& references = at<Record>(record)->references;
  if (HEADRACE_LIKELY(__libc_single_threaded))
    references++;
  else
    __atomic_fetch_add(&references, 1, __ATOMIC_ACQUIRE);
  return record;
}

/// Keeps a record in place while this thread waits for the lock, whoever closes the file meanwhile.
class Referenced {
 public:
  explicit Referenced(uint32_t record) : record_(take_reference(record)) {}
  ~Referenced() { drop_record(record_); }
  Referenced(const Referenced&) = delete;
  Referenced& operator=(const Referenced&) = delete;

 private:
  uint32_t record_;
};

/// This thread's shard of a record in a layer, made if there is none; null when memory is out. The record must be
/// referenced. It may be one that threads share (is_shared), which is this thread's until its section ends.
Shard* shard_of(uint32_t record, Layer layer = Layer::kPosix);
HEADRACE_INLINE bool is_shared(const Shard* shard) { return shard->thread == 0; }
/// Before this thread waits in its section, and then goes on in a shard of its own: no fold may take that away.
HEADRACE_INLINE void take_in_hand(const Shard* shard) {
  if (!is_shared(shard)) block->in_hand = shard->record;
}
/// One direction of a shard, made if there is none; null when memory is out. It may be one of another shard, which
/// threads share: then it is this thread's until its section ends.
Direction* direction_of(Shard* shard, DirectionIndex index, uint64_t first_time);
/// Adds to one of the shard's metadata counts.
void count(Shard* shard, Metadata::Count which, uint32_t amount = 1);
/// The block to add to, made if there is none; null when memory is out.
Metadata* metadata_of(Shard* shard);
/// This thread's profile row of a function, made if there is none; null when memory is out. `moves`: kMovesRead,
/// kMovesWrite or 0, what calls of the function do.
HEADRACE_COLD Profile* add_profile(Fn function, uint8_t moves);
HEADRACE_INLINE Profile* profile_of(Fn function, uint8_t moves = 0) {
  uint32_t offset = block->profiles[static_cast<uint32_t>(function)];
  return HEADRACE_LIKELY(offset != 0) ? at<Profile>(offset) : add_profile(function, moves);
}
HEADRACE_INLINE uint8_t moves(DirectionIndex direction) { return direction == kRead ? kMovesRead : kMovesWrite; }
/// Puts a new profile in front of those that this thread has used.
void link_profile(uint32_t offset, uint16_t function, uint8_t moves);

/// The text behind a Record.
HEADRACE_INLINE const char* name_of(const Record* record) { return reinterpret_cast<const char*>(record + 1); }

/// Enters every record of the spool into the emptied table (after a fold). Lock held, world stopped.
void rebuild_table();
/// Adds a record whatever the table's load; 0 when memory is out. Lock held.
uint32_t add_record(uint64_t hash, const char* name, uint32_t length, RecordKind kind);
/// Finds without taking a reference. Any thread.
uint32_t find_record(uint64_t hash);
/// The same, with files that the name no longer leads to: the latest that it led to.
uint32_t find_latest(uint64_t hash);
/// A shard for `thread_id` in front of the record's chain; 0 when memory is out. Lock held.
uint32_t add_shard(uint32_t record, uint32_t thread_id, Layer layer);

}  // namespace headrace::capture
