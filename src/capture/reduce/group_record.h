// A file record of one rank or of several, on its way to the rank that stores it.
//
// As bytes it holds what is not zero: a record of 2 KB in memory takes 100 to 200. Both ends are the same build.
#pragma once
#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "capture/reduce/rank_spread.h"
#include "model/file_record.h"

namespace headrace::capture {

/// A call site and the process that has it.
struct RankSite {
  uint64_t process = 0;
  model::CallSite site;
};

/// The file as the first rank found it that opened it; at_ns 0: none did.
struct Opened {
  uint64_t at_ns = 0, size = 0, flags = 0;
};

struct GroupRecord {
  model::FileRecord record;  // without call sites; of several ranks: merged
  std::vector<RankSite> sites;
  RankSpread spread;
  Opened opened;

  GroupRecord() = default;
  /// What `process`, rank `rank`, has.
  GroupRecord(const model::FileRecord& of_rank, uint64_t process, uint32_t rank);
  /// Both are about the same file, kind and layer. Of call sites one of each sort stays: the slowest, the largest.
  void merge(const GroupRecord& other);
};

/// What makes records of several ranks one: a hash of path, file, kind and layer.
uint64_t key_of(const model::FileRecord& record);
/// Whether ranks can share what the record is about: not a pipe of their own, nor a roll-up of whatever they folded.
bool can_be_shared(const model::FileRecord& record);

void encode(const GroupRecord& group, std::vector<uint8_t>* bytes);
/// kCorrupt when the bytes are not a whole record.
base::Result<GroupRecord> decode_group(base::Bytes bytes);

}  // namespace headrace::capture
