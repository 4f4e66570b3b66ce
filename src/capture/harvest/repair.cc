#include "capture/harvest/repair.h"

namespace headrace::capture {
namespace {

void undo_journal(SpoolBytes& bytes, uint64_t thread_offset, const ThreadBlock& thread, DamageList& damage) {
  if (thread.journal_used > kJournalEntries) return damage.add("a journal that is too long", thread_offset);
  for (uint32_t i = thread.journal_used; i-- > 0;) {
    const JournalEntry& entry = thread.journal[i];
    if (!bytes.store(entry.offset, &entry.old_value, sizeof entry.old_value, sizeof(Header))) {
      damage.add("a journal entry that points nowhere", thread_offset);
    }
  }
}

void undo_journals(SpoolBytes& bytes, const Header& header, DamageList& damage) {
  uint64_t steps = bytes.size() / sizeof(ThreadBlock) + 1;  // more blocks cannot be there: the chain is a ring
  for (uint32_t offset = header.first_thread; offset != 0 && steps > 0; --steps) {
    ThreadBlock thread;
    if (!bytes.load(offset, &thread)) return;  // said when the figures are read
    const uint32_t next = thread.next;
    undo_journal(bytes, offset, thread, damage);
    offset = next;
  }
}

void undo_fold(SpoolBytes& bytes, const Header& header, DamageList& damage) {
  Shard victim;
  FoldCopy copy;
  if (header.fold_victim == 0) return;
  if (!bytes.load(header.fold_victim, &victim)) return damage.add("a shard being folded", header.fold_victim);
  if (victim.state == kFolded) return;
  if (!bytes.load(header.fold_copy, &copy)) return damage.add("the copy of a roll-up", header.fold_copy);
  bool stored = bytes.store(header.fold_target, &copy.shard, sizeof copy.shard, sizeof(Header));
  for (uint32_t d = 0; d < 2; ++d) {
    if (const uint32_t offset = copy.shard.directions[d]; offset != 0) {
      stored &= bytes.store(offset, &copy.directions[d], sizeof(Direction), sizeof(Header));
    }
    if (const uint32_t offset = copy.directions[d].detail; copy.shard.directions[d] != 0 && offset != 0) {
      stored &= bytes.store(offset, &copy.details[d], sizeof(Detail), sizeof(Header));
    }
  }
  if (const uint32_t offset = copy.shard.metadata; offset != 0) {
    stored &= bytes.store(offset, &copy.metadata, sizeof(Metadata), sizeof(Header));
    if (const uint32_t library = copy.metadata.library; library != 0)
      stored &= bytes.store(library, &copy.library, sizeof(LibraryCounts), sizeof(Header));
  }
  if (!stored) damage.add("a roll-up that cannot be put back", header.fold_target);
}

}  // namespace

void repair(SpoolBytes& bytes, const Header& header, DamageList& damage) {
  undo_journals(bytes, header, damage);
  undo_fold(bytes, header, damage);
}

}  // namespace headrace::capture
