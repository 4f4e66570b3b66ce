// Brings what several ranks have about one thing to one rank, the owner of its key, in log2(ranks) steps. What meets on
// the way becomes one there, so that no rank gets much more than it gives, whatever is shared with whom.
//
// The owner of a key is the rank whose number has the key's low bits; keys are hashes, so owners are even. In step s a
// rank gives away, to the one that differs in bit s, what belongs to ranks with that rank's bit. Each function is
// collective.
#pragma once
#include <cstdint>
#include <vector>

#include "base/communicator.h"
#include "base/result.h"
#include "capture/reduce/group_record.h"

namespace headrace::capture {

/// Whether other ranks have the keys as well, one answer a key. `keys`: ascending, each once. Keys alone travel, so
/// that what no other rank has stays where it is.
base::Result<std::vector<uint8_t>> shared_with_others(base::Communicator& ranks, const std::vector<uint64_t>& keys);

/// Records as bytes (group_record.h), by ascending key.
class Parcels {
 public:
  /// Keys must come in ascending order.
  void add(uint64_t key, const GroupRecord& group);
  void add(uint64_t key, base::Bytes encoded);
  size_t size() const { return entries_.size(); }
  uint64_t key(size_t i) const { return entries_[i].key; }
  base::Bytes encoded(size_t i) const { return {bytes_.data() + entries_[i].begin, entries_[i].length}; }

 private:
  struct Entry {
    uint64_t key, begin;
    uint32_t length;
  };
  std::vector<Entry> entries_;
  std::vector<uint8_t> bytes_;
};

/// Merges records of equal key and leaves each with its owner. Returns what this rank owns.
base::Result<Parcels> bring_to_owners(base::Communicator& ranks, Parcels parcels);

}  // namespace headrace::capture
