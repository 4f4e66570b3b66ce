// The directory of a run's files: made by rank 0, removed when the run is over, and never anything that was there.
#pragma once
#include <functional>
#include <string>

#include "base/result.h"
#include "workload/plan/pattern.h"
#include "workload/ranks/ranks.h"

namespace headrace::workload {

/// kNoSpace with what there is, if buffers of `bytes` for each of `ranks` do not fit into this node's memory.
base::Status check_memory(uint64_t bytes, int ranks);
/// Bytes that each of so many ranks of a node needs to have whole files in memory, each rank one at a time: files may
/// go from rank to rank.
uint64_t memory_of_files(const Pattern& pattern, int ranks);
/// Of this node, in bytes; 0 where the kernel does not say.
uint64_t available_memory();

class Place {
 public:
  /// `name` in `directory`; "" = a new one that nobody else has. With `existing` it is one that an earlier run has
  /// left, which stays. Collective; all ranks get the same answer. kInvalid: there is something of that name, or
  /// nothing.
  static base::Result<Place> make(const std::string& directory, const std::string& name, bool existing, Ranks& ranks);

  const std::string& path() const { return path_; }
  bool existing() const { return existing_; }

  /// kNoSpace with what there is, if `bytes` in so many files do not fit onto the file system.
  base::Status check_room(uint64_t bytes, uint64_t files) const;

  /// Removes the files of `pattern`. Collective.
  base::Status empty(const Pattern& pattern, Ranks& ranks) const;
  /// The same and the directory.
  base::Status remove(const Pattern& pattern, Ranks& ranks) const;
  /// The same by this rank alone, while others may still be at work: the directory first gets another name, so that
  /// they make nothing new in it. Of many files another process does it, which may still be at work after this one.
  void remove_in_haste(const Pattern& pattern) const;

  /// The same two of files that no pattern names: `empty` removes what is in a directory.
  using Empty = std::function<void(const std::string& directory)>;
  base::Status remove(const Empty& empty, Ranks& ranks) const;
  void remove_in_haste(const Empty& empty) const;

 private:
  Place(std::string path, bool existing) : path_(std::move(path)), existing_(existing) {}
  bool is_own(const std::string& path) const;

  std::string path_, leaving_;  // the name that it gets on its way out
  uint64_t device_ = 0, inode_ = 0;
  bool existing_;
};

}  // namespace headrace::workload
