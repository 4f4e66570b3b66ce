#include "workload/facility/job_log.h"

#include <gtest/gtest.h>

#include <numeric>

#include "workload/facility/rows.h"

namespace headrace::workload {
namespace {

MadeJob example() {
  MadeJob job;
  job.programs.push_back({.executable = "/bin/a", .ranks = 8, .ranks_per_node = 4, .end_at_ns = 1000});
  MadeFiles own{.width = 1, .sets = 8, .per_set = 2, .opens = 1, .reads = 3, .writes = 1, .read_size = 100};
  own.write_size = 5, own.read_ns = 7, own.reads_consecutive = 2, own.prefix = "/f/own.", own.layers = {"posix"};
  MadeFiles shared{.first_rank = 2, .width = 4, .sets = 1, .per_set = 3, .opens = 1, .writes = 2, .write_size = 64};
  shared.write_ns = 11, shared.prefix = "/f/shared.", shared.layers = {"posix", "mpiio"}, shared.collective = 1;
  job.files = {own, shared};
  return job;
}

uint64_t sum(const MadeRows& rows, std::string_view layer, uint64_t MadeFileRow::* figure) {
  uint64_t total = 0;
  for (size_t i = 0; i < rows.files.size(); ++i) total += rows.layers[i] == layer ? rows.files[i].*figure : 0;
  return total;
}

TEST(MadeLog, AddsUpToWhatItIsSaidIn) {
  const MadeRows rows = rows_of(7, example());
  EXPECT_EQ(rows.processes.size(), 9u);    // and one that stands for several
  EXPECT_EQ(rows.files.size(), 16u + 6u);  // shared files in two layers
  EXPECT_EQ(sum(rows, "posix", &MadeFileRow::bytes_read), 16u * 300);
  EXPECT_EQ(sum(rows, "posix", &MadeFileRow::bytes_written), 16u * 5 + 3 * 4 * 128);
  EXPECT_EQ(sum(rows, "mpiio", &MadeFileRow::writes_collective), 3u * 4 * 2);
  EXPECT_EQ(sum(rows, "posix", &MadeFileRow::reads_backward), 16u);
  EXPECT_EQ(std::accumulate(rows.size_counts.begin(), rows.size_counts.end(), uint64_t{0}), 16u * 4 + 2 * 24);
  EXPECT_EQ(rows.who, std::vector<std::string>(6, "2-5"));
}

TEST(MadeLog, ListsWhatEachRankDidToSharedFiles) {
  const MadeRows rows = rows_of(7, example());
  uint64_t bytes = 0;
  for (size_t i = 0; i < rows.shares.size(); ++i)
    bytes += rows.share_layers[i] == "posix" ? rows.shares[i].bytes_written : 0;
  EXPECT_EQ(rows.shares.size(), 8u);
  EXPECT_EQ(bytes, 3u * 4 * 128);
}

TEST(MadeLog, TakesNoMoreRanksThanThereAre) {
  MadeJob job = example();
  job.files[1].first_rank = 5;
  EXPECT_EQ(check_made(job).code(), base::Code::kInvalid);
  job = example();
  job.files[0].per_set = uint64_t{1} << 40;
  EXPECT_EQ(check_made(job).code(), base::Code::kInvalid);
  job = example();
  job.files[0].reads = uint64_t{1} << 60;
  EXPECT_EQ(check_made(job).code(), base::Code::kInvalid);
  job = example();
  job.files[0].program = 1;
  EXPECT_EQ(check_made(job).code(), base::Code::kInvalid);
  EXPECT_TRUE(check_made(example()).ok());
}

}  // namespace
}  // namespace headrace::workload
