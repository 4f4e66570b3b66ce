// What clients wrote to a file that is not safe yet, and what of it could not be stored: who has to be told what.
//
// Every client that wrote a range which was lost is told so once, at its next commit of that range. Needs a lock.
#pragma once
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "forward/protocol/messages.h"
#include "forward/server/range_set.h"

namespace headrace::forward {

/// Lost ranges by error number.
using LostRanges = std::map<int, RangeSet>;

class Losses {
 public:
  /// The file system has it; it may still lose it before the next commit.
  void stored(const Nonce& client, Range range);
  void lost(const Nonce& client, Range range, int error);

  /// A commit of the file begins: it covers what was stored until now.
  uint64_t begin_commit() { return epoch_++; }
  void committed(uint64_t epoch);
  /// All that it covered counts as lost: the kernel tells such an error once, and not of which bytes.
  void commit_failed(uint64_t epoch, int error);

  /// What `client` has to be told of `range`, and is told by this. Who never wrote is told what others lost, while they
  /// do not know it yet: a commit of bytes that are not there must not succeed.
  LostRanges take(const Nonce& client, Range range);
  /// What nobody has been told.
  LostRanges untold() const;
  std::set<Nonce> losers() const;  // whom nobody has told it
  bool empty() const;
  /// The end of all that was lost: appends go behind it, since their clients know the place as theirs.
  uint64_t lost_end() const { return lost_end_; }
  void forget_end() { lost_end_ = 0; }

 private:
  struct Account {
    std::vector<std::pair<uint64_t, RangeSet>> stored;  // by epoch
    LostRanges lost;
  };
  std::map<Nonce, Account> accounts_;  // of all that wrote
  uint64_t epoch_ = 1, lost_end_ = 0;
};

}  // namespace headrace::forward
