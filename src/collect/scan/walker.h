#pragma once
// One thread of a scan: takes directories that wait, looks at what is in them, and hands over what it finds. Where it
// may stand still it asks whether it is to.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collect/scan/directory.h"
#include "collect/scan/pending.h"
#include "collect/scan/places.h"
#include "collect/scan/rows.h"
#include "collect/scan/state.h"
#include "collect/scan/tally.h"

namespace headrace::collect {

/// A directory to read from its begin, or the rest of one that a state was taken in the middle of.
struct Work {
  PendingDirectory directory;
  std::optional<OpenDirectory> open;
};

/// What threads share; the calls are safe in all of them.
class Crew {
 public:
  virtual ~Crew() = default;
  /// The next directory. None: all is done, or the scan ends. Waits while others may still find some.
  virtual std::optional<Work> next() = 0;
  /// Subdirectories of a directory, which may stay open for them.
  virtual void found(uint32_t root, const std::string& parent, std::string names,
                     std::shared_ptr<const Descriptor> directory) = 0;
  virtual void hand_over(std::vector<Inode>& links) = 0;
  virtual void hand_over(RowBuffer& rows) = 0;
  virtual void hand_over(Counts& counts) = 0;
  virtual void problem(std::string path, std::string reason) = 0;
  /// Whether to call rest() soon.
  virtual bool is_to_rest() const = 0;
  /// Stands still until the state is stored. False: the scan ends here.
  virtual bool rest(const OpenDirectory& at) = 0;
  /// Whether the file system with this root may be entered: only once.
  virtual bool enter_mount(Mount mount) = 0;
};

/// What all threads know from the start.
struct WalkFacts {
  std::vector<std::string> roots;  // paths; "/" is ""
  std::vector<int> descriptors;
  std::vector<uint64_t> devices;
  FileTime start;
  const Places* places = nullptr;
  bool rows = false, cross_mounts = false;
  size_t parents = 8;  // directories that a thread keeps open, whose subdirectories are likely to be next
};

class Walker {
 public:
  Walker(const WalkFacts& facts, Crew& crew) : facts_(facts), crew_(crew) {}
  /// Until there is nothing left, or the scan ends.
  void walk();
  /// While the thread stands still: what it has counted.
  Counts& counts() { return counts_; }
  std::vector<Inode>& links() { return links_; }
  RowBuffer& rows() { return rows_; }
  int64_t seen() const { return seen_.load(std::memory_order_relaxed); }

 private:
  /// Where the thread is.
  struct Here {
    OpenDirectory at;
    Inode inode;
    std::shared_ptr<const Descriptor> directory;
    int descriptor() const { return directory->get(); }
    std::string names;  // of subdirectories that nobody knows of
  };

  int parent_of(const PendingDirectory& next);
  void visit(const PendingDirectory& next);
  void go_on(const OpenDirectory& at);
  static bool is_another(const Here& here);
  /// Whether it is to be read.
  bool enter(Here& here, int parent, const std::string& name);
  void refuse(Here& here, int parent, const std::string& name, int error);
  void read(Here& here);
  void look(Here& here, const Entry& entry);
  void count(Here& here, const char* name, Inode& inode);
  void count_directory(const Here& here, const std::string& name);
  void end(Here& here, int error);
  std::string full_path(const Here& here) const;
  static std::string path_of(const Here& here, const char* name);  // below the root
  void flush_when_full();

  const WalkFacts& facts_;
  Crew& crew_;
  Counts counts_;
  std::vector<Inode> links_;
  RowBuffer rows_;
  DirectoryReader reader_;
  std::vector<Entry> entries_;
  std::vector<std::pair<uint64_t, Descriptor>> parents_;  // by number of their group, the last used at the end
  std::atomic<int64_t> seen_ = 0;
};

}  // namespace headrace::collect
