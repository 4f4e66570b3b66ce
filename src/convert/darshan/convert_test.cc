#include "convert/darshan/convert.h"

#include <gtest/gtest.h>

#include <map>

#include "base/stride.h"
#include "convert/darshan/sample_log.h"
#include "convert/darshan/write.h"

namespace headrace::convert::darshan {
namespace {

using TableMap = std::map<std::string, std::shared_ptr<const format::Table>>;

base::Result<std::vector<format::Table>> read(const std::vector<uint8_t>& bytes) {
  const auto source = format::make_memory_source(bytes, "a.darshan");
  return read_log(*source, {64u << 20, 1024});
}

TableMap tables_of(const std::vector<uint8_t>& bytes) {
  TableMap map;
  auto tables = read(bytes);
  EXPECT_TRUE(tables.ok()) << tables.message();
  if (!tables.ok()) return map;
  for (format::Table& table : *tables) {
    const std::string name = table.name;
    map[name] = std::make_shared<const format::Table>(std::move(table));
  }
  return map;
}

/// Rows of a table as text, so that a difference is shown.
std::string shown(const TableMap& tables, const std::string& name) {
  std::string text;
  const auto found = tables.find(name);
  if (found == tables.end()) return "none";
  for (uint64_t row = 0; row < found->second->rows; ++row) {
    for (const format::Column& column : found->second->columns) {
      const bool is_text = column.type == format::Type::kText;
      text += column.name + "=" + (is_text ? std::string(column.text(row)) : std::to_string(column.u64(row))) + " ";
    }
    text += "\n";
  }
  return text;
}

int64_t number(const TableMap& tables, const std::string& table, const std::string& column, uint64_t row = 0) {
  const format::Column* found = tables.at(table)->find(column);
  return found == nullptr ? -99 : found->i64(row);
}

std::string gaps(const TableMap& tables) { return shown(tables, "gaps"); }

constexpr unsigned kFormats[] = {0, 10, 20, 21, 41};

TEST(DarshanConvert, EveryFormatAndByteOrderIsRead) {
  for (const unsigned minor : kFormats) {
    const TableMap plain = tables_of(sample_log({.minor = minor}));
    const TableMap swapped = tables_of(sample_log({.minor = minor, .swap = true}));
    const TableMap packed = tables_of(sample_log({.minor = minor, .compression = Compression::kZlib}));
    const TableMap bzip2 = tables_of(sample_log({.minor = minor, .compression = Compression::kBzip2}));
    EXPECT_EQ(plain.at("darshan_posix")->rows, 2u) << minor;
    EXPECT_EQ(plain.contains("darshan_h5d"), minor >= 20);
    EXPECT_EQ(plain.contains("darshan_pnetvar"), minor >= 41);
    EXPECT_EQ(plain.at("segments")->rows, 6u) << minor;
    for (const auto& [name, table] : plain) {
      if (name == "job" || name == "gaps") continue;  // which name the format and the compressed bytes
      EXPECT_EQ(shown(swapped, name), shown(plain, name)) << minor;
      EXPECT_EQ(shown(packed, name), shown(plain, name)) << minor;
      EXPECT_EQ(shown(bzip2, name), shown(plain, name)) << minor;
    }
  }
}

TEST(DarshanConvert, OlderRecordsLackWhatTheyLacked) {
  const TableMap first = tables_of(sample_log({.minor = 0}));
  EXPECT_EQ(number(first, "darshan_posix", "POSIX_OPENS"), 1);
  EXPECT_EQ(number(first, "darshan_posix", "POSIX_DUPS"), -1);
  EXPECT_EQ(number(first, "darshan_posix", "POSIX_READS"), 2);
  EXPECT_EQ(number(first, "darshan_posix", "POSIX_MMAPS"), 6);
  EXPECT_EQ(number(first, "darshan_posix", "POSIX_FSYNCS"), 11);  // behind four of streams
  EXPECT_EQ(number(first, "darshan_posix", "POSIX_RENAMED_FROM"), 0);
  EXPECT_EQ(number(first, "darshan_stdio", "STDIO_FDOPENS"), -1);
  EXPECT_EQ(number(first, "darshan_pnetfile", "PNETCDF_FILE_OPENS"), 3);  // 1 independent, 2 collective
  EXPECT_EQ(number(first, "darshan_pnetfile", "PNETCDF_FILE_CREATES"), -1);
  EXPECT_EQ(first.at("darshan_pnetfile")->find("PNETCDF_FILE_F_CLOSE_END_TIMESTAMP")->f64(0), 0.5);
  EXPECT_EQ(first.at("darshan_pnetfile")->find("PNETCDF_FILE_F_WAIT_TIME")->f64(0), -1);
  EXPECT_EQ(first.at("darshan_h5f")->find("H5F_F_CLOSE_END_TIMESTAMP")->f64(0), 0.375);
  EXPECT_EQ(first.at("darshan_mpiio")->find("MPIIO_F_OPEN_END_TIMESTAMP")->f64(0), -1);
  EXPECT_EQ(first.at("segments")->find("offset")->i64(3), -1);  // of MPI-IO, whose first version had none
  EXPECT_EQ(number(first, "segments", "offset", 1), 4096);
}

TEST(DarshanConvert, TheJobIsKnown) {
  const TableMap tables = tables_of(sample_log({}));
  const std::string job = shown(tables, "job");
  EXPECT_NE(job.find("value=[\"/bin/simulate\", \"-n\", \"2\"]"), std::string::npos) << job;
  EXPECT_NE(job.find("key=start_utc_ns value=1700000000000000005"), std::string::npos) << job;
  EXPECT_NE(job.find("key=end_utc_ns value=1700000002000000006"), std::string::npos) << job;
  EXPECT_EQ(tables.at("processes")->rows, 3u);  // two ranks, and what stands for both
  EXPECT_EQ(tables.at("mounts")->rows, 2u);
}

TEST(DarshanConvert, WhatIsNotReadIsToldWithItsAmount) {
  const TableMap tables = tables_of(sample_log({.partial = 1u << 1}));
  const std::string told = gaps(tables);
  for (const char* name : {"BG/Q", "MDHIM", "DFS", "DAOS"}) {
    EXPECT_NE(told.find("amount=32 what=Darshan's module " + std::string(name)), std::string::npos) << told;
  }
  EXPECT_NE(shown(tables, "job").find("no: Darshan ran out of memory for its module POSIX"), std::string::npos);
}

TEST(DarshanConvert, AReleaseThatCountedWrongIsTold) {
  EXPECT_NE(gaps(tables_of(sample_log({.minor = 20}))).find("Darshan 3.2.0"), std::string::npos);
  EXPECT_EQ(gaps(tables_of(sample_log({.minor = 21}))).find("Darshan 3.2.0"), std::string::npos);
}

TEST(DarshanConvert, EveryCutIsToldOrRefused) {
  for (const Compression compression : {Compression::kNone, Compression::kZlib, Compression::kBzip2}) {
    const std::vector<uint8_t> whole = sample_log({.compression = compression});
    for (size_t length = 0; length < whole.size(); length += 13 * base::kStride) {
      const std::vector<uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      const auto tables = read(cut);
      if (!tables.ok()) {
        EXPECT_NE(tables.message().find("a.darshan"), std::string::npos);
        continue;
      }
      EXPECT_NE(shown(tables_of(cut), "job").find("value=no: "), std::string::npos) << length;
    }
  }
}

TEST(DarshanConvert, BytesThatChangedNeverHarm) {
  const std::vector<uint8_t> whole = sample_log({});
  for (size_t at = 0; at < whole.size(); at += 11 * base::kStride) {
    for (const uint8_t value : {0x00, 0x7f, 0xff}) {
      std::vector<uint8_t> bytes = whole;
      bytes[at] = value;
      const auto tables = read(bytes);
      EXPECT_TRUE(tables.ok() || !tables.message().empty());
    }
  }
}

TEST(DarshanConvert, MemoryIsBounded) {
  const std::vector<uint8_t> bytes = sample_log({});
  const auto small = format::make_memory_source(bytes, "a.darshan");
  const auto tables = read_log(*small, {10, 1024});
  ASSERT_FALSE(tables.ok());
  EXPECT_EQ(tables.code(), base::Code::kLimit);
}

TEST(DarshanConvert, WhatIsWrittenReadsTheSame) {
  for (const unsigned minor : kFormats) {
    const TableMap first = tables_of(sample_log({.minor = minor, .swap = minor == 10}));
    const auto bytes = write_log([&](const std::string& name) {
      const auto found = first.find(name);
      return found == first.end() ? nullptr : found->second;
    });
    const TableMap second = tables_of(bytes);
    for (const auto& [name, table] : first) {
      if (!name.starts_with("darshan_") && name != "mounts" && name != "series") continue;
      EXPECT_EQ(shown(second, name), shown(first, name)) << minor;
    }
  }
}

/// As a log that Headrace captured: without Darshan's own figures.
TEST(DarshanConvert, FiguresOfAJobLogAreWritten) {
  const TableMap first = tables_of(sample_log({}));
  const auto bytes = write_log([&](const std::string& name) {
    const auto found = first.find(name);
    return found == first.end() || name.starts_with("darshan_") ? nullptr : found->second;
  });
  const TableMap second = tables_of(bytes);
  EXPECT_EQ(second.at("files")->rows, first.at("files")->rows);
  for (const char* column : {"opens", "reads", "writes", "bytes_read", "bytes_written", "syncs", "reads_collective"}) {
    uint64_t before = 0, after = 0;
    for (uint64_t row = 0; row < first.at("files")->rows; ++row) {
      before += first.at("files")->find(column)->u64(row);
      after += second.at("files")->find(column)->u64(row);
    }
    EXPECT_EQ(after, before) << column;
  }
  EXPECT_EQ(second.at("segments")->rows, first.at("segments")->rows);
  EXPECT_EQ(number(second, "darshan_lustre", "osts"), 2);
  EXPECT_EQ(number(second, "darshan_lustpart", "stripe_size"), 1 << 20);
  EXPECT_EQ(number(second, "darshan_lustosts", "ost", 1), 6);
  EXPECT_EQ(number(second, "processes", "rank"), -1);
  EXPECT_EQ(second.at("processes")->rows, first.at("processes")->rows);
}

}  // namespace
}  // namespace headrace::convert::darshan
