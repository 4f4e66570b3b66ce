#include "capture/reduce/reduce.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/simulated_ranks.h"
#include "capture/reduce/made_ranks.h"
#include "format/reader.h"

namespace headrace::capture {
namespace {

using base::Communicator;
using base::Status;

class MemoryStore : public PartStore {
 public:
  explicit MemoryStore(std::vector<uint8_t>& log) : log_(log) {}
  base::Result<uint64_t> begin(uint64_t bytes) override {
    const uint64_t at = log_.size();
    log_.resize(at + bytes);
    return at;
  }
  Status write(uint64_t offset, base::Bytes part) override {
    if (full) return {base::Code::kNoSpace, "no room"};
    std::copy(part.begin(), part.end(), log_.begin() + static_cast<ptrdiff_t>(offset));
    return {};
  }
  Status end(Stored what) override {
    if (what != Stored::kAll) log_.clear();
    return {};
  }
  bool full = false;

 private:
  std::vector<uint8_t>& log_;
};

base::Result<std::vector<uint8_t>> reduced(Communicator& ranks, RankSource& source, bool merge = true) {
  Reduction reduction(ranks, source, nullptr);
  HEADRACE_TRY(reduction.count_shared().status());
  return reduction.make_parts(merge, 99, 7);
}

std::vector<uint8_t> log_of(int size, MadeFiles files) {
  std::vector<uint8_t> log;
  base::simulate_ranks(size, [&](Communicator& ranks) {
    MadeRank rank(ranks.rank(), ranks.size(), files);
    const auto part = reduced(ranks, rank);
    ASSERT_TRUE(part.ok()) << part.message();
    MemoryStore store(log);
    EXPECT_EQ(store_parts(ranks, *part, store), Stored::kAll);
  });
  return log;
}

struct Sums {
  uint64_t rows = 0, writes = 0, bytes = 0;
};

Sums table_sums(format::Reader& log, const char* table) {
  Sums sums;
  const auto found = log.table(table);
  if (!found.ok()) return sums;
  for (uint64_t row = 0; row < found->rows; ++row) {
    sums.writes += found->find("writes")->u64(row);
    sums.bytes += found->find("bytes_written")->u64(row);
  }
  sums.rows = found->rows;
  return sums;
}

/// The same without any reduction.
Sums expected(int size, MadeFiles files) {
  Sums sums;
  for (int rank = 0; rank < size; ++rank) {
    for (int i = 0; i < files.shared + files.own; ++i) {
      model::FileRecord record;
      MadeRank::fill(record, rank, i < files.shared ? i : i - files.shared);
      sums.writes += record[model::counter::writes];
      sums.bytes += record[model::counter::bytes_written];
    }
  }
  return sums;
}

TEST(Reduce, TheLogHasEveryOperationOnce) {
  for (int size : {1, 2, 3, 7, 16, 65, 200}) {
    const MadeFiles files = {5, 3};
    const std::vector<uint8_t> log = log_of(size, files);
    auto reader = format::Reader::open_memory(log);
    ASSERT_TRUE(reader.ok()) << reader.message();
    ASSERT_TRUE(reader->verify().ok());
    EXPECT_TRUE(reader->damage().empty());
    EXPECT_TRUE(reader->closed());
    EXPECT_EQ(reader->jobs(), std::vector<uint64_t>{99});
    const Sums wanted = expected(size, files), found = table_sums(*reader, "files"),
               shares = table_sums(*reader, "shares");
    EXPECT_EQ(found.writes, wanted.writes);
    EXPECT_EQ(found.bytes, wanted.bytes);
    EXPECT_EQ(found.rows, static_cast<uint64_t>(size == 1 ? 8 : 5 + 3 * size));
    const uint64_t of_shared = expected(size, {5, 0}).writes;
    EXPECT_EQ(shares.writes, size == 1 ? 0 : of_shared);
    const auto processes = reader->table("processes");
    ASSERT_TRUE(processes.ok());
    EXPECT_EQ(processes->rows, static_cast<uint64_t>(size) + 1) << "and the one that stands for all";
    const auto names = reader->table("names");
    std::map<uint64_t, int> seen;
    for (uint64_t row = 0; row < names->rows; ++row) ++seen[names->find("name")->u64(row)];
    for (const auto& [id, times] : seen) EXPECT_LE(times, (size + 63) / 64) << "once a writer";
  }
}

TEST(Reduce, RepresentativesStandForOthersAndSumsStay) {
  constexpr int kRanks = 200, kKept = 4;
  const MadeFiles files = {5, 3};
  std::vector<uint8_t> log;
  base::simulate_ranks(kRanks, [&](Communicator& ranks) {
    MadeRank rank(ranks.rank(), ranks.size(), files);
    Reduction reduction(ranks, rank, nullptr);
    model::Clusters clusters;
    clusters.of_rank.push_back({"", 0, 0, false, false, true});
    reduction.add_clusters(clusters);
    reduction.let_representatives_stand(ranks.rank() % (kRanks / kKept) == 0);
    ASSERT_TRUE(reduction.count_shared().ok());
    const auto part = reduction.make_parts(true, 99, 7);
    ASSERT_TRUE(part.ok()) << part.message();
    MemoryStore store(log);
    EXPECT_EQ(store_parts(ranks, *part, store), Stored::kAll);
  });
  auto reader = format::Reader::open_memory(log);
  ASSERT_TRUE(reader.ok()) << reader.message();
  const Sums wanted = expected(kRanks, files), found = table_sums(*reader, "files");
  EXPECT_EQ(found.writes, wanted.writes);
  EXPECT_EQ(found.bytes, wanted.bytes);
  EXPECT_EQ(found.rows, kKept * 8u + 5 + 1) << "of the others five shared files, and a sum of those of their own";
  const Sums shares = table_sums(*reader, "shares");
  EXPECT_EQ(shares.rows, 2u * (kRanks - kKept)) << "shared files, and own ones";
  const auto profiles = reader->table("profiles"), series = reader->table("series"), kept = reader->table("clusters");
  uint64_t calls = 0, bytes = 0, whole = 0;
  for (uint64_t row = 0; row < profiles->rows; ++row) calls += profiles->find("calls")->u64(row);
  for (uint64_t row = 0; row < series->rows; ++row) bytes += series->find("bytes")->u64(row);
  for (uint64_t row = 0; row < kept->rows; ++row) whole += kept->find("kept")->u64(row);
  EXPECT_EQ(calls, 4u * kRanks);
  EXPECT_EQ(bytes, (4u << 20) * uint64_t{kRanks});
  EXPECT_EQ(profiles->rows, kKept + 1u);
  EXPECT_EQ(series->rows, kKept + 1u);
  EXPECT_EQ(whole, static_cast<uint64_t>(kKept));
  const auto job = reader->table("job");
  std::string told;
  for (uint64_t row = 0; row < job->rows; ++row)
    if (job->find("key")->text(row).starts_with("stood_for.")) told = job->find("value")->text(row);
  EXPECT_TRUE(told.starts_with("196 1568 ")) << told;
}

/// Files of two ranks, which use them through different layers, and a file and a directory of its own.
class PairedRank : public RankSource {
 public:
  PairedRank(int rank, int ranks) : rank_(rank), made_(rank, ranks, {0, 0}) {}

  base::Result<SpoolContents> read(RecordSink& sink) override {
    const model::Layer layer = rank_ % 2 == 0 ? model::Layer::kPosix : model::Layer::kStdio;
    give("/scratch/pair." + std::to_string(rank_ / 2), model::FileKind::kFile, layer, sink);
    for (const model::Layer each : {model::Layer::kPosix, model::Layer::kStdio})
      give("/scratch/own." + std::to_string(rank_), model::FileKind::kFile, each, sink);
    give("/scratch/at." + std::to_string(rank_), model::FileKind::kDirectory, model::Layer::kPosix, sink);
    return made_.read(sink);
  }

 private:
  static void give(std::string path, model::FileKind kind, model::Layer layer, RecordSink& sink) {
    model::FileRecord record;
    record.path = record.final_path = std::move(path);
    record.kind = kind;
    record.layer = layer;
    sink.record(record);
  }

  int rank_;
  MadeRank made_;
};

TEST(Reduce, NoFileIsCountedTwiceWhereRepresentativesStand) {
  constexpr int kRanks = 20;
  std::vector<uint8_t> log;
  base::simulate_ranks(kRanks, [&](Communicator& ranks) {
    PairedRank rank(ranks.rank(), ranks.size());
    Reduction reduction(ranks, rank, nullptr);
    reduction.let_representatives_stand(ranks.rank() % 5 == 0);
    ASSERT_TRUE(reduction.count_shared().ok());
    const auto part = reduction.make_parts(true, 99, 7);
    ASSERT_TRUE(part.ok()) << part.message();
    MemoryStore store(log);
    EXPECT_EQ(store_parts(ranks, *part, store), Stored::kAll);
  });
  auto reader = format::Reader::open_memory(log);
  ASSERT_TRUE(reader.ok()) << reader.message();
  const auto files = reader->table("files"), names = reader->table("names");
  std::map<uint64_t, std::string> paths;
  for (uint64_t row = 0; row < names->rows; ++row)
    paths[names->find("name")->u64(row)] = names->find("text")->text(row);
  std::set<std::string> plain, directories;
  uint64_t folded = 0;
  for (uint64_t row = 0; row < files->rows; ++row) {
    folded += files->find("folded_files")->u64(row);
    const std::string path = paths[files->find("path")->u64(row)];
    if (path.find("/at.") != std::string::npos)
      directories.insert(path);
    else if (!path.ends_with("*"))
      plain.insert(path);
  }
  EXPECT_EQ(plain.size() + folded, kRanks / 2u + kRanks);
  EXPECT_EQ(folded, kRanks - kRanks / 5u) << "those of one rank alone";
  EXPECT_EQ(directories.size(), static_cast<size_t>(kRanks));
}

TEST(Reduce, SharedRecordsAreCounted) {
  base::simulate_ranks(7, [&](Communicator& ranks) {
    MadeRank rank(ranks.rank(), ranks.size(), {5, 3});
    Reduction reduction(ranks, rank, nullptr);
    const auto rows = reduction.count_shared();
    ASSERT_TRUE(rows.ok());
    EXPECT_EQ(*rows, 35u);
  });
}

TEST(Reduce, EachRankMayKeepItsOwn) {
  std::vector<uint8_t> log;
  base::simulate_ranks(7, [&](Communicator& ranks) {
    MadeRank rank(ranks.rank(), ranks.size(), {5, 3});
    const auto part = reduced(ranks, rank, false);
    ASSERT_TRUE(part.ok());
    MemoryStore store(log);
    EXPECT_EQ(store_parts(ranks, *part, store), Stored::kAll);
  });
  auto reader = format::Reader::open_memory(log);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(table_sums(*reader, "files").rows, 7u * 8);
  EXPECT_EQ(table_sums(*reader, "files").writes, expected(7, {5, 3}).writes);
  EXPECT_EQ(table_sums(*reader, "shares").rows, 0u);
}

TEST(Reduce, RankStatisticsAreThoseOfTheRanks) {
  const int size = 20;
  const std::vector<uint8_t> log = log_of(size, {2, 0});
  auto reader = format::Reader::open_memory(log);
  ASSERT_TRUE(reader.ok());
  const auto shared = reader->table("shared");
  ASSERT_TRUE(shared.ok());
  ASSERT_EQ(shared->rows, 2u);
  double mean = 0, squares = 0;
  std::vector<double> bytes;
  for (int rank = 0; rank < size; ++rank) {
    model::FileRecord record;
    MadeRank::fill(record, rank, 0);
    bytes.push_back(static_cast<double>(record[model::counter::bytes_written]));
    mean += bytes.back() / size;
  }
  for (double each : bytes) squares += (each - mean) * (each - mean) / size;
  const auto value = [&](const char* column, uint64_t row) { return shared->find(column)->u64(row); };
  const uint64_t row = shared->find("bytes_least")->u64(0) == 4u << 20 ? 0 : 1;
  EXPECT_EQ(value("ranks", row), 20u);
  EXPECT_EQ(shared->find("who")->text(row), "0-19");
  EXPECT_EQ(value("bytes_least", row), 4u << 20);
  EXPECT_EQ(value("bytes_most", row), 28u << 20);
  EXPECT_NEAR(shared->find("bytes_mean")->f64(row), mean, 1);
  EXPECT_NEAR(shared->find("bytes_variance")->f64(row), squares, squares * 1e-9);
  EXPECT_EQ(shared->find("fastest_rank")->i64(row), 0);
  EXPECT_EQ(shared->find("slowest_rank")->i64(row), 13) << "of those with most to do the last but not least";
}

TEST(Reduce, WhatDoesNotFitIsSummed) {
  const int size = 3;
  const auto files = static_cast<int>(shares_kept(size)) + 10;
  const std::vector<uint8_t> log = log_of(size, {files, 0});
  auto reader = format::Reader::open_memory(log);
  ASSERT_TRUE(reader.ok());
  const auto shares = reader->table("shares");
  ASSERT_TRUE(shares.ok());
  EXPECT_EQ(shares->rows, size * (shares_kept(size) + 1));
  uint64_t together = 0;
  for (uint64_t row = 0; row < shares->rows; ++row) {
    if (shares->find("record")->u64(row) == 0) together += shares->find("files")->u64(row);
  }
  EXPECT_EQ(together, 30u);
  EXPECT_EQ(table_sums(*reader, "shares").writes, table_sums(*reader, "files").writes);
}

TEST(Reduce, AFullDiskAtOneRankLeavesTheLogAsItWas) {
  std::vector<uint8_t> log = {1, 2, 3};
  int failed = 0;
  base::simulate_ranks(130, [&](Communicator& ranks) {
    MadeRank rank(ranks.rank(), ranks.size(), {1, 1});
    const auto part = reduced(ranks, rank);
    ASSERT_TRUE(part.ok());
    MemoryStore store(log);
    store.full = ranks.rank() == 64;
    failed += store_parts(ranks, *part, store) == Stored::kAll ? 0 : 1;
  });
  EXPECT_EQ(failed, 130);
  EXPECT_TRUE(log.empty()) << "this store's way to go back";
}

TEST(Reduce, ARankThatDiesLeavesNobodyWaiting) {
  for (int gone = 0; gone < 9; ++gone) {
    int failed = 0;
    base::simulate_ranks(9, [&](Communicator& ranks) {
      if (ranks.rank() == gone) return;
      MadeRank rank(ranks.rank(), ranks.size(), {1, 1});
      failed += reduced(ranks, rank).ok() ? 0 : 1;
    });
    EXPECT_EQ(failed, 8) << gone;
  }
}

}  // namespace
}  // namespace headrace::capture
