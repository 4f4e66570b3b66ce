// Does the steps of one rank, and measures them.
//
// One thread. All ranks play together.
#pragma once
#include <dirent.h>
#include <stdio.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/ranks/ranks.h"
#include "workload/replay/buffer.h"
#include "workload/replay/mpi_calls.h"
#include "workload/replay/plan.h"

namespace headrace::workload::replay {

/// What one rank found. Plain numbers, but for `functions`.
struct Played {
  std::vector<FunctionFigures> functions;
  uint64_t begin_ns = 0, duration_ns = 0;  // the begin by the real-time clock
  uint64_t extra_calls = 0;                // that the job did not make, so that the others are right
  uint64_t other_results = 0;              // calls that failed and had not, or the other way round
  uint64_t other_bytes = 0;                // calls that moved another number of bytes
  uint64_t late_ns = 0;                    // of think time: by how much it was too long, all in all
  std::string first_other;                 // the first of them, in words
};

struct PlayerSettings {
  std::string root;  // of the files
  bool think = false;
  std::function<bool()> stopped;              // asked before each call
  std::function<void(double)> progress = {};  // now and then, with the share that is done; may be empty
};

class Player {
 public:
  /// kNoSpace: there is no memory for what calls move.
  static base::Result<std::unique_ptr<Player>> make(const Recording& job, const Plan& plan, std::vector<Step> steps,
                                                    Ranks& ranks, PlayerSettings settings);
  ~Player();
  /// kLimit where it was told to stop. A call that fails is no error here: it is counted.
  base::Result<Played> play();

 private:
  Player(const Recording& job, const Plan& plan, std::vector<Step> steps, Ranks& ranks, PlayerSettings settings)
      : job_(job), plan_(plan), steps_(std::move(steps)), ranks_(ranks), settings_(std::move(settings)) {}

  /// Bytes moved, or −1 with errno.
  int64_t perform(const Step& step);
  int64_t on_name(const Step& step);
  int64_t on_descriptor(const Step& step);
  int64_t on_stream(const Step& step);
  int64_t on_directory(const Step& step);
  int64_t on_mpi(const Step& step);
  int64_t on_attributes(const Step& step);
  int64_t on_attributes_open(const Step& step, int file);
  int64_t open(const Step& step);
  int open_descriptor(const Step& step);
  int open_nameless();
  int64_t make_stream(const Step& step);
  void think(const Step& step, const Step& before);
  void compare(const Step& step, int64_t result);
  const char* path(uint32_t number) const { return paths_[number].c_str(); }

  const Recording& job_;
  const Plan& plan_;
  const std::vector<Step> steps_;
  Ranks& ranks_;
  const PlayerSettings settings_;
  Buffer buffer_;
  MpiCalls mpi_;
  std::vector<std::string> paths_;  // where they are now, by number
  std::vector<int> descriptors_;    // by slot, of streams and directories too; −1: not open
  std::vector<FILE*> streams_;
  std::vector<DIR*> directories_;
  std::vector<Mpi::Handle> files_;
  std::vector<bool> mpi_open_;
  Played played_;
  uint64_t end_ = 0;  // of the last call
};

}  // namespace headrace::workload::replay
