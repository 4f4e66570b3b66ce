// How ranks of a node find out, without a word, whether they are all there: each makes a file longer before MPI_Init,
// which none of them leaves before all have come to it.
#pragma once
#include "capture/recorder/launch.h"
#include "capture/recorder/mpi.h"
#include "capture/recorder/spool.h"

namespace headrace::capture::mpi {

/// One purpose that ranks register for. One thread.
class RankRegistry {
 public:
  /// `purpose`: ends the file's name.
  explicit constexpr RankRegistry(const char* purpose) : purpose_(purpose) {}

  void choose(const Launch& launch);
  /// The launcher removes the file, should nobody else.
  void leave_mark() const;
  /// Makes it longer by `bytes`, of at most kMost.
  bool add(long bytes);
  /// Its length; below 0: there is none, or it is not ours.
  long length() const;
  bool is_chosen() const { return path_[0] != 0; }
  bool is_there() const;
  /// Whether each rank has a launcher of its own.
  bool has_launchers() const { return mark_[0] != 0; }
  void leave();

  static constexpr long kMost = 4096;

 private:
  const char* purpose_;
  char path_[sizeof spool.path] = "", mark_[sizeof spool.path] = "";
};

/// How many ranks of this program are on this node.
long ranks_here(const Library& m);

}  // namespace headrace::capture::mpi
