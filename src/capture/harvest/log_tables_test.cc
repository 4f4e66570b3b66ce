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
    for (const char* name : {"profiles", "gaps", "processes"}) {
      std::multiset<uint64_t> processes;
      if (!first.empty()) collect(first, name, "process", &processes);
      collect(second, name, "process", &processes);
      EXPECT_EQ(processes.size(), kRows) << name << " after " << chunks;
      EXPECT_EQ(std::set<uint64_t>(processes.begin(), processes.end()).size(), kRows) << name << " after " << chunks;
    }
  }
}

}  // namespace
}  // namespace headrace::capture
