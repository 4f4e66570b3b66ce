#pragma once
// The steps of summarize(): processes first, then files. One thread at a time for each log; throw Failure.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bindings/id_map.h"
#include "bindings/log.h"
#include "bindings/log_summary.h"

namespace headrace::bindings {

/// Which process images are which rank of which program of a JobSummary.
struct RankPlaces {
  struct Place {
    uint32_t program;
    int64_t rank;
    auto operator<=>(const Place&) const = default;
  };
  static constexpr uint32_t kNoProgram = 0xffffffff;

  std::vector<Place> places;
  IdMap of_image;                   // place of an image
  IdMap stands_in;                  // of images that stand for all ranks of a program: the place in `stood_for`
  std::vector<uint32_t> stood_for;  // programs

  const Place* find(uint64_t image) const {
    const uint32_t at = of_image.find(image);
    return at == IdMap::kNone ? nullptr : &places[at];
  }
  /// Of ranks and of what stands for them; kNoProgram: an image of none.
  uint32_t program_of(uint64_t image) const {
    if (const Place* place = find(image)) return place->program;
    const uint32_t at = stands_in.find(image);
    return at == IdMap::kNone ? kNoProgram : stood_for[at];
  }
};

/// Processes, nodes and programs of a job. `frame`: its table `processes`.
void summarize_processes(const Frame& frame, JobSummary& job, RankPlaces& ranks);

/// What is known of time in files by file alone, and not by rank.
struct FileTimes {
  Frame by_path;                // the files
  std::vector<uint64_t> alone;  // rows of it that count for the rank that has them
  int64_t shared_ns = 0;        // the slowest rank's in each other one, added up
  // For the estimate of the paper's section II-D: of files that all ranks share nothing but their times is known.
  std::vector<uint64_t> apart;  // rows of files of which each rank has a record of its own, and not all have one
  int64_t estimated_ns = 0;     // in each other one, added up
};

/// Files of a job, and sums over them.
FileTimes summarize_files(Log& log, const RankPlaces& ranks, JobSummary& job);

/// File records of a program's own files, not of those of its MPI library, merged (merge.h). With calls that are in no
/// file, unless it is by path.
Frame merged_of_program(Log& log, const char* by, std::vector<std::string> layers);

/// A bit for each layer of kSummaryLayers that the log has records of.
int64_t layers_in(Log& log);

}  // namespace headrace::bindings
