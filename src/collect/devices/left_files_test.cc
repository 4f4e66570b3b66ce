#include "collect/devices/left_files.h"

#include <gtest/gtest.h>
#include <utime.h>

#include <filesystem>
#include <fstream>

#include "collect/devices/earlier_run.h"
#include "format/reader.h"
#include "format/writer.h"

namespace headrace::collect {
namespace {

namespace fs = std::filesystem;

class LeftFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "headrace-left-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(directory_); }

  struct Row {
    uint64_t tick;
    std::string device;
    int64_t end_us = 0;
  };
  /// A file of one table, a chunk each time.
  void write(const std::string& name, const std::vector<std::vector<Row>>& chunks, bool close = true,
             const std::string& boot = "boot") const {
    auto writer = format::Writer::append(directory_ + "/" + name);
    ASSERT_TRUE(writer.ok());
    for (const auto& rows : chunks) {
      std::vector<uint64_t> ticks;
      std::vector<std::string_view> devices;
      const std::vector<std::string_view> boots(rows.size(), boot);
      std::vector<int64_t> ends;
      for (const Row& row : rows) {
        ticks.push_back(row.tick);
        devices.push_back(row.device);
        ends.push_back(row.end_us);
      }
      format::TableBuilder table("samples");
      table.text("boot", boots).text("device", devices).u64("tick", ticks).i64("end_us", ends);
      ASSERT_TRUE(writer->add(table).ok());
    }
    if (close) {
      ASSERT_TRUE(writer->close().ok());
    }
  }
  /// "tick device; " of each row.
  std::string rows(const std::string& name) const {
    auto reader = format::Reader::open(directory_ + "/" + name);
    EXPECT_TRUE(reader.ok()) << name;
    if (!reader.ok()) return {};
    const auto table = reader->table("samples");
    std::string all;
    for (uint64_t row = 0; table.ok() && row < table->rows; ++row)
      all += std::to_string(table->find("tick")->u64(row)) + " " + std::string(table->find("device")->text(row)) + "; ";
    return all;
  }
  bool exists(const std::string& name) const { return fs::exists(directory_ + "/" + name); }
  void changed(const std::string& name, time_t when) const {
    const utimbuf times{when, when};
    ASSERT_EQ(utime((directory_ + "/" + name).c_str(), &times), 0);
  }

  std::string directory_;
};

/// A chunk of a table whose columns of numbers hold texts, and the other way round.
void write_nonsense(const std::string& path) {
  auto writer = format::Writer::append(path);
  ASSERT_TRUE(writer.ok());
  const std::vector<std::string_view> texts = {"a", "b"};
  const std::vector<uint64_t> numbers = {1, 2};
  format::TableBuilder samples("samples"), monitor("monitor");
  samples.text("tick", texts).text("end_us", texts).u64("boot", numbers).u64("device", numbers);
  monitor.text("boot", texts).text("started_us", texts);
  ASSERT_TRUE(writer->add(samples).ok());
  ASSERT_TRUE(writer->add(monitor).ok());
  ASSERT_TRUE(writer->close().ok());
}

TEST_F(LeftFiles, AMoveThatWasCutBetweenItsChunksIsFinished) {
  write("x.open.hr", {{{1, "a"}, {1, "b"}}, {{2, "a"}, {3, "a"}}}, false);  // and of b there was to be another chunk
  write("x.tail.hr", {{{2, "a"}, {2, "b"}}, {{3, "a"}, {3, "b"}}}, false);
  ASSERT_TRUE(finish_left_file(directory_ + "/x").ok());
  EXPECT_EQ(rows("x.hr"), "1 a; 1 b; 2 a; 3 a; 2 b; 3 b; ");
  EXPECT_FALSE(exists("x.tail.hr"));
}

TEST_F(LeftFiles, ATailOfAFinishedFileIsRemoved) {
  write("x.hr", {{{1, "a"}}});
  write("x.tail.hr", {{{1, "a"}}}, false);
  EXPECT_EQ(left_files(directory_), std::vector<std::string>{directory_ + "/x"});
  ASSERT_TRUE(finish_left_file(directory_ + "/x").ok());
  EXPECT_EQ(rows("x.hr"), "1 a; ");
  EXPECT_FALSE(exists("x.tail.hr"));
}

TEST_F(LeftFiles, ATailAloneBecomesAFile) {
  write("x.tail.hr", {{{1, "a"}}}, false);
  ASSERT_TRUE(finish_left_file(directory_ + "/x").ok());
  EXPECT_EQ(rows("x.hr"), "1 a; ");
  EXPECT_FALSE(exists("x.tail.hr"));
}

TEST_F(LeftFiles, OthersFilesAreLeftAsTheyAre) {
  std::ofstream(directory_ + "/x.open.hr") << "this is a text of somebody else, which is no chunk of any kind";
  EXPECT_FALSE(finish_left_file(directory_ + "/x").ok());
  EXPECT_TRUE(exists("x.open.hr"));
}

TEST_F(LeftFiles, TextsInPlaceOfNumbersAreNoTicksAndNoTimes) {
  write_nonsense(directory_ + "/x.open.hr");
  write_nonsense(directory_ + "/x.tail.hr");
  ASSERT_TRUE(finish_left_file(directory_ + "/x").ok());
  EXPECT_FALSE(last_sample(directory_, 1'000).has_value());
  write("y.open.hr", {{{1, "a"}}}, false);
  write_nonsense(directory_ + "/y.tail.hr");
  EXPECT_TRUE(finish_left_file(directory_ + "/y").ok());
}

TEST_F(LeftFiles, TheLastSampleIsFoundWhateverTheClockWasWhenItsFileBegan) {
  write("20260101T000000Z-1.hr", {{{1, "a", 500}}}, true, "earlier");
  write("19700101T000000Z-2.hr", {{{1, "a", 9}}, {{2, "a", 800}, {3, "a", 700}, {1, "b", 100}}});
  changed("20260101T000000Z-1.hr", 1'000);
  changed("19700101T000000Z-2.hr", 2'000);
  const auto last = last_sample(directory_, 1'000);
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->boot, "boot");
  EXPECT_EQ(last->end_us, 700);  // the clock was put back
  EXPECT_EQ(last_sample(directory_, 600)->end_us, 500);
  EXPECT_EQ(last_sample(directory_, 100)->end_us, 700);  // all are of later: that of what was changed last
}

}  // namespace
}  // namespace headrace::collect
