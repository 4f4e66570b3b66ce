// Where the data of a job's files lies, as far as the file systems tell: stripes and object servers of Lustre, the
// block size of GPFS. Each file is asked for once, and none for longer than a small part of anybody's patience.
//
// One thread at a time. In programs of one thread alone: asking forks (file_asker.h).
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "capture/harvest/file_asker.h"
#include "capture/harvest/mounts.h"
#include "model/file_record.h"
#include "model/process.h"

namespace headrace::capture {

class FileLayouts {
 public:
  /// For all files of a job on one node, and for one of them.
  struct Patience {
    uint64_t all_ns = 5'000'000'000, each_ns = 2'000'000'000;
  };
  FileLayouts() = default;
  explicit FileLayouts(Patience patience) : patience_(patience) {}

  /// Whether files on this mount have a layout that can be asked for. Those of a FUSE file system do if it says by its
  /// type ("fuse.lustre") that it stands for one.
  static bool told_by(const Mount& mount);

  /// What is known of a file there besides what calls say; empty when nothing is, or when it was asked for before.
  std::vector<model::Property> of(const std::string& path, const Mount& mount);

  /// Where a directory is when links are followed; "" where nobody says so in time. Asked once a directory.
  const std::string& real_directory(const std::string& directory);

  /// What could not be told since the last time, with the numbers of files.
  std::vector<model::Gap> take_gaps();

 private:
  void miss(const std::string& reason) { ++missed_[reason]; }

  Patience patience_;
  FileAsker asker_;
  std::unordered_set<uint64_t> seen_;  // hashes of paths
  std::unordered_map<std::string, std::string> real_;
  std::unordered_set<uint64_t> silent_;  // mounts that did not answer
  std::map<std::string, uint64_t> missed_;
  uint64_t spent_ns_ = 0;
};

}  // namespace headrace::capture
