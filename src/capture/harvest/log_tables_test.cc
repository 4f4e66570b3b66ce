#include "capture/harvest/log_tables.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "capture/harvest/log_output.h"
#include "format/reader.h"

namespace headrace::capture {
namespace {

/// Takes some chunks and then no more, like a disk that is full.
class FullSink : public format::Sink {
 public:
  FullSink(std::vector<uint8_t>& bytes, int chunks) : memory_(bytes), left_(chunks) {}
  base::Result<uint64_t> append(std::span<const uint8_t> chunk) override {
    if (left_-- <= 0) return base::Status(base::Code::kNoSpace, "full");
    return memory_.append(chunk);
  }
  base::Status close() override { return {}; }

 private:
  format::MemorySink memory_;
  int left_;
};

format::WriterOptions small_chunks() {
  format::WriterOptions options;
  options.chunk_rows = 4;
  return options;
}

void collect(const std::vector<uint8_t>& bytes, const char* name, const char* column, std::multiset<uint64_t>* out) {
  auto reader = format::Reader::open_memory(bytes);
  ASSERT_TRUE(reader.ok()) << reader.message();
  const auto table = reader->table(name);
  const format::Column* values = table.ok() ? table->find(column) : nullptr;
  for (uint64_t row = 0; values != nullptr && row < table->rows; ++row) out->insert(values->u64(row));
}

TEST(LogTables, RowsStoredBeforeAFailureAreNotStoredAgain) {
  constexpr uint64_t kRows = 11;
  // The failure comes in another place each time, in the middle of tables as well as between them.
  for (int chunks = 0; chunks < 12; ++chunks) {
    LogTables tables;
    for (uint64_t i = 1; i <= kRows; ++i) {
      tables.add_profile(i, {.function = "read", .layer = "posix", .calls = 1, .bytes = 1, .time_ns = 1, .max_ns = 1});
      tables.add_gap(i, {"process", 1, "processes", "a reason"});
      model::Process process;
      process.id = i;
      tables.add_process(process);
      tables.add_share({.process = i, .record = 1, .files = 1, .reads = i});
    }
    std::vector<uint8_t> first, second;
    auto full = format::Writer::open(std::make_unique<FullSink>(first, chunks), small_chunks());
    auto other = format::Writer::open(std::make_unique<format::MemorySink>(second), small_chunks());
    const base::Status status = tables.flush(*full, false);
    if (!status.ok()) {
      EXPECT_EQ(status.code(), base::Code::kNoSpace);
      ASSERT_TRUE(tables.flush(*other, false).ok());
    }
    EXPECT_TRUE(tables.empty());
    ASSERT_TRUE(other->close().ok());
    for (const char* name : {"profiles", "gaps", "shares", "processes"}) {
      std::multiset<uint64_t> processes;
      if (!first.empty()) collect(first, name, "process", &processes);
      collect(second, name, "process", &processes);
      EXPECT_EQ(processes.size(), kRows) << name << " after " << chunks;
      EXPECT_EQ(std::set<uint64_t>(processes.begin(), processes.end()).size(), kRows) << name << " after " << chunks;
    }
  }
}

TEST(LogTables, RecordsOfSeveralRanksAreStoredWithTheirShares) {
  std::vector<uint8_t> bytes;
  auto writer = format::Writer::open(std::make_unique<format::MemorySink>(bytes));
  LogTables tables;
  model::SharedRecord shared{.record = 7,
                             .ranks = 3,
                             .who = "0-1,4",
                             .fastest_rank = 4,
                             .slowest_rank = 0,
                             .opened_size = 5,
                             .opened_flags = 3};
  shared.bytes = {.least = 1, .most = 6, .mean = 3.5, .variance = 0.25};
  shared.time_ns = {.least = 2, .most = 9, .mean = 5.5, .variance = 1.75};
  tables.add_shared(shared);
  tables.mark();
  tables.add_shared({.record = 8, .ranks = 2, .who = "0-1", .bytes = {}, .time_ns = {}});
  tables.add_share({.process = 1, .record = 8});
  tables.rewind();
  tables.add_share({.process = 2,
                    .record = 0,
                    .layer = model::Layer::kMpiio,
                    .files = 5,
                    .reads = 1,
                    .writes = 2,
                    .calls = 3,
                    .bytes_read = 4,
                    .bytes_written = 5,
                    .read_ns = 6,
                    .write_ns = 7,
                    .meta_ns = 8});
  EXPECT_EQ(tables.rows(), 2u);
  ASSERT_TRUE(tables.flush(*writer, true).ok());
  ASSERT_TRUE(writer->close().ok());

  auto reader = format::Reader::open_memory(bytes);
  const auto records = reader->table("shared"), shares = reader->table("shares");
  ASSERT_EQ(records->rows, 1u);
  EXPECT_EQ(records->find("who")->text(0), "0-1,4");
  EXPECT_EQ(records->find("bytes_mean")->f64(0), 3.5);
  EXPECT_EQ(records->find("time_variance_ns2")->f64(0), 1.75);
  EXPECT_EQ(records->find("slowest_rank")->u64(0), 0u);
  EXPECT_EQ(records->find("opened_size")->u64(0), 5u);
  EXPECT_EQ(records->find("opened_flags")->u64(0), 3u);
  ASSERT_EQ(shares->rows, 1u);
  EXPECT_EQ(shares->find("layer")->text(0), "mpiio");
  EXPECT_EQ(shares->find("kind")->text(0), "file");
  uint64_t expected = 1;
  for (const char* name : {"reads", "writes", "calls", "bytes_read", "bytes_written", "read_ns", "write_ns", "meta_ns"})
    EXPECT_EQ(shares->find(name)->u64(0), expected++) << name;
  EXPECT_EQ(shares->find("files")->u64(0), 5u);
}

}  // namespace
}  // namespace headrace::capture
