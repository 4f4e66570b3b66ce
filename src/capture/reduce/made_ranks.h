// Ranks that were never run, for tests and measurements: their files, as a simulation's checkpoints would use them.
#pragma once
#include <functional>
#include <string>

#include "capture/reduce/rank_part.h"

namespace headrace::capture {

/// Files of one rank: `shared` of all ranks, `own` of its own.
struct MadeFiles {
  int shared = 0, own = 0;
};

class MadeRank : public RankSource {
 public:
  MadeRank(int rank, int ranks, MadeFiles files) : rank_(rank), ranks_(ranks), files_(files) {}

  base::Result<SpoolContents> read(RecordSink& sink) override {
    for (int i = 0; i < files_.shared; ++i) give("/scratch/run/shared." + std::to_string(i), i, sink);
    for (int i = 0; i < files_.own; ++i)
      give("/scratch/run/dump/rank" + std::to_string(rank_) + "." + std::to_string(i), i, sink);
    SpoolContents contents;
    model::Process& process = contents.process;
    process.process_id = static_cast<uint32_t>(rank_ + 1);
    process.id = model::process_id_of("node", process.process_id, 1);
    process.rank = rank_;
    process.ranks = static_cast<uint64_t>(ranks_);
    process.instance = 4711;
    process.host = "node" + std::to_string(rank_ / 64);
    process.executable = "/home/user/simulation";
    process.captured = true;
    process.start_at_ns = 5;
    contents.profiles.push_back({"write", "posix", 4, 0, 4 << 20, 3000, 1000, 3000});
    contents.series.push_back({model::kWrite, 100, 10, 4 << 20, 4});
    contents.excluded_other = 1;
    return contents;
  }

  /// What rank `rank` does to its file number `i`.
  static void fill(model::FileRecord& record, int rank, int i) {
    using namespace model::counter;
    const auto n = static_cast<uint64_t>(rank % 7 + i % 3 + 1);
    record[opens] = record[closes] = 1;
    record[writes] = 4 * n;
    record[bytes_written] = (4 * n) << 20;
    record[write_ns] = 100'000 * n + static_cast<uint64_t>(rank);
    record[meta_ns] = 10'000 + static_cast<uint64_t>(rank);
    record[write_max_ns] = 50'000 * n;
    record[write_max_size] = 1 << 20;
    record[writes_consecutive] = 4 * n - 1;
    record[write_end] = (4 * n) << 20;
    record[first_open_at_ns] = 1000 + static_cast<uint64_t>(rank);
    record[last_close_at_ns] = 2'000'000 + static_cast<uint64_t>(rank);
    record.sizes[model::kWrite].add(1 << 20, 4 * n);
    record.common_sizes[model::kWrite].add(1 << 20, 4 * n);
  }

 private:
  void give(std::string path, int i, RecordSink& sink) const {
    model::FileRecord record;
    record.path = record.final_path = std::move(path);
    fill(record, rank_, i);
    sink.record(record);
  }

  int rank_, ranks_;
  MadeFiles files_;
};

}  // namespace headrace::capture
