#include "capture/harvest/unfinished.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "format/reader.h"
#include "format/table_builder.h"
#include "format/writer.h"

namespace headrace::capture {
namespace {

/// Writes one-row tables of these names; the process of row i is i.
std::string write_log(std::initializer_list<const char*> tables, bool close) {
  const std::string path = std::filesystem::temp_directory_path() / ("unfinished-" + std::to_string(getpid()) + ".hr");
  auto sink = format::FileSink::open(path, format::FileSink::Mode::kReplace);
  auto writer = format::Writer::open(std::move(*sink));
  uint64_t process = 0;
  for (const char* name : tables) {
    ++process;
    EXPECT_TRUE(writer->add(format::TableBuilder(name).u64("process", &process, 1, sizeof process)).ok());
  }
  if (close) {
    EXPECT_TRUE(writer->close().ok());
  }
  return path;
}

uint64_t rows(const std::string& path, const char* table) {
  auto reader = format::Reader::open(path);
  if (!reader.ok()) return 0;
  const auto read = reader->table(table);
  return read.ok() ? read->rows : 0;
}

TEST(Unfinished, RowsBehindTheLastProcessesGo) {
  const std::string path = write_log({"job", "files", "processes", "names", "files", "sizes"}, false);
  ASSERT_TRUE(drop_unfinished_rows(path, 0).ok());
  EXPECT_EQ(rows(path, "files"), 1u);
  EXPECT_EQ(rows(path, "sizes"), 0u);
  EXPECT_EQ(rows(path, "processes"), 1u);
  EXPECT_EQ(rows(path, "names"), 1u);
  std::filesystem::remove(path);
}

TEST(Unfinished, WithoutAnyProcessAllRowsGo) {
  const std::string path = write_log({"job", "files", "profiles"}, false);
  ASSERT_TRUE(drop_unfinished_rows(path, 0).ok());
  EXPECT_EQ(rows(path, "files"), 0u);
  EXPECT_EQ(rows(path, "job"), 1u);
  std::filesystem::remove(path);
}

TEST(Unfinished, FinishedLogsStay) {
  for (const bool closed : {true, false}) {
    const std::string path = write_log({"job", "files", "gaps", "processes"}, closed);
    const auto size = std::filesystem::file_size(path);
    ASSERT_TRUE(drop_unfinished_rows(path, 0).ok());
    EXPECT_EQ(std::filesystem::file_size(path), size);
    std::filesystem::remove(path);
  }
  EXPECT_TRUE(drop_unfinished_rows("/nonexistent.hr", 0).ok());
}

TEST(Unfinished, WhatOthersWroteBehindStays) {
  const std::string path = write_log({"job", "files", "processes"}, false);
  for (const uint64_t producer : {7, 8, 7, 8}) {
    format::WriterOptions options;
    options.producer.process = producer;
    auto writer = format::Writer::append(path, options);
    ASSERT_TRUE(writer->add(format::TableBuilder("files").u64("process", &producer, 1, sizeof producer)).ok());
    if (producer == 7) continue;  // killed
    ASSERT_TRUE(writer->add(format::TableBuilder("processes").u64("process", &producer, 1, sizeof producer)).ok());
    ASSERT_TRUE(writer->close().ok());
  }
  EXPECT_EQ(rows(path, "files"), 5u);
  ASSERT_TRUE(drop_unfinished_rows(path, 7).ok());
  auto reader = format::Reader::open(path);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(rows(path, "files"), 3u);
  EXPECT_EQ(rows(path, "processes"), 3u);
  EXPECT_TRUE(reader->verify().ok());
  EXPECT_TRUE(reader->damage().empty());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace headrace::capture
