#include "capture/harvest/harvester.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "capture/event_layout.h"
#include "capture/flush_layout.h"
#include "capture/harvest/spool_builder.h"
#include "format/reader.h"

namespace headrace::capture {
namespace {

constexpr uint32_t kNoSuchProcess = 4'194'400;  // beyond the kernel's largest pid

class HarvesterTest : public testing::Test {
 protected:
  HarvesterTest() {
    char name[] = "/tmp/harvester-test-XXXXXX";
    directory_ = mkdtemp(name);
    spools_ = directory_ + "/spools";
    std::filesystem::create_directory(spools_);
    descriptor_ = open(spools_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  ~HarvesterTest() override {
    close(descriptor_);
    std::filesystem::remove_all(directory_);
  }

  std::string log_path() const { return directory_ + "/a.hr"; }

  void put(const std::string& name, const std::vector<std::byte>& bytes) {
    std::ofstream(spools_ + "/" + name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  static std::string spool_name(uint32_t pid, uint64_t created) {
    char name[64];
    snprintf(name, sizeof name, "%u.%llx.spool", pid, static_cast<unsigned long long>(created));
    return name;
  }
  /// A spool with one open of /a.
  static std::vector<std::byte> small_spool(uint32_t pid, uint32_t parent, EndKind ended) {
    SpoolBuilder b(1 << 16);
    b.header().process_id = pid;
    b.header().parent_process_id = parent;
    b.header().ended = ended;
    b.at<Shard>(b.shard(b.record("/a"))).opens = 1;
    return b.finish();
  }
  size_t files_left() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(spools_), {}));
  }

  format::Table table(const char* name) {
    auto reader = format::Reader::open(log_path());
    EXPECT_TRUE(reader.ok()) << reader.message();
    auto result = reader->table(name);
    EXPECT_TRUE(result.ok()) << result.message();
    return std::move(*result);
  }

  std::string directory_, spools_;
  int descriptor_;
  Moment start_{1, 900'000'000, 1'700'000'000'000'000'000, 900'000'000};
};

TEST_F(HarvesterTest, FinishedSpoolsBecomeRowsAndGo) {
  JobLog log(LogOutput(log_path(), {}), start_);
  Harvester harvester(descriptor_, spools_, log);
  put(spool_name(kNoSuchProcess, 1'000'000'000), sample_spool());
  put("not a spool", {});
  ASSERT_TRUE(harvester.scan(Harvester::Depth::kQuick).ok());
  EXPECT_EQ(harvester.alive(), 0u);
  EXPECT_EQ(files_left(), 2u) << "a spool stays until its rows are stored";
  ASSERT_TRUE(harvester.flush().ok());
  EXPECT_EQ(files_left(), 1u);
  log.add_fact("complete", "yes");
  ASSERT_TRUE(log.close().ok());
  EXPECT_EQ(table("processes").rows, 1u);
  EXPECT_EQ(table("processes").find("ended")->text(0), "exit");
  EXPECT_EQ(table("files").rows, 4u);
  EXPECT_EQ(table("profiles").rows, 1u);
  EXPECT_EQ(table("series").rows, 1u);
  EXPECT_GT(table("sizes").rows, 2u);
  EXPECT_EQ(table("common").rows, 4u);
  EXPECT_EQ(table("gaps").rows, 0u) << "an empty table is there all the same";
}

TEST_F(HarvesterTest, ExecChainAndChildAreLinked) {
  JobLog log(LogOutput(log_path(), {}), start_);
  Harvester harvester(descriptor_, spools_, log);
  put(spool_name(kNoSuchProcess, 10), small_spool(kNoSuchProcess, 1, EndKind::kExec));
  put(spool_name(kNoSuchProcess, 20), small_spool(kNoSuchProcess, 1, EndKind::kNone));
  put(spool_name(kNoSuchProcess + 1, 30), small_spool(kNoSuchProcess + 1, kNoSuchProcess, EndKind::kExit));
  harvester.note_exit(kNoSuchProcess, SIGKILL);
  ASSERT_TRUE(harvester.scan(Harvester::Depth::kQuick).ok());
  ASSERT_TRUE(harvester.flush().ok());
  ASSERT_TRUE(log.close().ok());
  const format::Table rows = table("processes");
  ASSERT_EQ(rows.rows, 3u);
  const auto id = [&](uint64_t row) { return rows.find("process")->u64(row); };
  EXPECT_EQ(rows.find("parent")->u64(0), 0u);
  EXPECT_EQ(rows.find("parent")->u64(1), id(0));
  EXPECT_EQ(rows.find("parent")->u64(2), id(1));
  EXPECT_EQ(rows.find("ended")->text(0), "exec");
  EXPECT_EQ(rows.find("ended")->text(1), "killed");
  EXPECT_EQ(rows.find("exit_status")->i64(1), 128 + SIGKILL);
}

TEST_F(HarvesterTest, MappedSpoolsAreLeftAlone) {
  JobLog log(LogOutput(log_path(), {}), start_);
  Harvester harvester(descriptor_, spools_, log);
  // The pid is gone, yet somebody maps the file: a process of another pid namespace, or a forked child.
  const std::string name = spool_name(kNoSuchProcess, 10);
  put(name, small_spool(kNoSuchProcess, 1, EndKind::kExit));
  const int fd = open((spools_ + "/" + name).c_str(), O_RDWR | O_CLOEXEC);
  void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  ASSERT_TRUE(harvester.scan(Harvester::Depth::kThorough).ok());
  EXPECT_EQ(harvester.alive(), 1u);
  munmap(memory, 4096);
  ASSERT_TRUE(harvester.scan(Harvester::Depth::kThorough).ok());
  EXPECT_EQ(harvester.alive(), 0u);
}

TEST_F(HarvesterTest, NotesAndBrokenSpoolsAreSaid) {
  JobLog log(LogOutput(log_path(), {}), start_);
  Harvester harvester(descriptor_, spools_, log);
  const std::string program = "/sbin/ldconfig";
  put("4194400.64.static.note", {reinterpret_cast<const std::byte*>(program.data()),
                                 reinterpret_cast<const std::byte*>(program.data()) + program.size()});
  put(spool_name(kNoSuchProcess + 1, 200), std::vector<std::byte>(65536));
  put(spool_name(kNoSuchProcess + 2, 300), std::vector<std::byte>(5000, std::byte{'x'}));
  ASSERT_TRUE(harvester.scan(Harvester::Depth::kQuick).ok());
  ASSERT_TRUE(harvester.flush().ok());
  ASSERT_TRUE(log.close().ok());
  EXPECT_EQ(files_left(), 0u);
  const format::Table rows = table("processes"), gaps = table("gaps");
  ASSERT_EQ(rows.rows, 3u);
  EXPECT_EQ(gaps.rows, 3u);
  for (uint64_t row = 0; row < 3; ++row) {
    EXPECT_EQ(rows.find("captured")->u64(row), 0u);
    EXPECT_NE(rows.find("process")->u64(row), 0u);
  }
  EXPECT_EQ(rows.find("reason")->text(0).substr(0, 7), "static:");
  EXPECT_NE(rows.find("reason")->text(1).find("before its capture was ready"), std::string_view::npos);
  EXPECT_NE(rows.find("reason")->text(2).find("no spool"), std::string_view::npos);
}

TEST_F(HarvesterTest, FilesOfEventsThatNoProcessMakesAreNotRead) {
  JobLog log(LogOutput(log_path(), {}), start_);
  Harvester harvester(descriptor_, spools_, log);
  put(spool_name(kNoSuchProcess, 10), small_spool(kNoSuchProcess, 1, EndKind::kExit));
  EventFileHeader header{};
  header.magic = kEventMagic;
  header.version = kEventVersion;
  header.used = sizeof header;
  const auto* begin = reinterpret_cast<const std::byte*>(&header);
  const std::string name = std::to_string(kNoSuchProcess) + ".a" + kEvents;
  put(name, {begin, begin + sizeof header});
  std::filesystem::resize_file(spools_ + "/" + name, (uint64_t{4} << 30) + 1);
  ASSERT_TRUE(harvester.scan(Harvester::Depth::kQuick).ok());
  ASSERT_TRUE(harvester.flush().ok());
  ASSERT_TRUE(log.close().ok());
  EXPECT_EQ(files_left(), 0u);
  const format::Table gaps = table("gaps");
  ASSERT_EQ(gaps.rows, 1u) << "as it is told of one that is damaged";
  EXPECT_EQ(gaps.find("what")->text(0), "events of the trace");
}

TEST_F(HarvesterTest, WhatLiesBesideASpoolGoesWithIt) {
  JobLog log(LogOutput(log_path(), {}), start_);
  Harvester harvester(descriptor_, spools_, log);
  for (uint32_t i = 0; i < 3; ++i) put(spool_name(kNoSuchProcess + i, 10 + i), small_spool(1, 1, EndKind::kExit));
  const std::string second = spool_name(kNoSuchProcess + 1, 11), running = spool_name(kNoSuchProcess + 3, 13);
  for (const char* ending : {kEvents, kReduced, kReducing, kAccount, kPart}) {
    put(copy_name(second, ending), {});
    put(copy_name(running, ending), {});
  }
  ASSERT_TRUE(harvester.scan(Harvester::Depth::kQuick).ok());
  ASSERT_TRUE(harvester.flush().ok());
  EXPECT_EQ(files_left(), 5u) << "those of another spool stay";
  ASSERT_TRUE(log.close().ok());
}

TEST_F(HarvesterTest, ManyProcessesAreStoredInBatches) {
  JobLog log(LogOutput(log_path(), {}), start_);
  Harvester harvester(descriptor_, spools_, log);
  for (uint32_t i = 0; i < 300; ++i)
    put(spool_name(kNoSuchProcess + i, 10 + i), small_spool(kNoSuchProcess + i, 1, EndKind::kExit));
  ASSERT_TRUE(harvester.scan(Harvester::Depth::kQuick).ok());
  EXPECT_LT(files_left(), 64u);
  ASSERT_TRUE(harvester.flush().ok());
  ASSERT_TRUE(log.close().ok());
  EXPECT_EQ(table("processes").rows, 300u);
  EXPECT_EQ(table("files").rows, 300u);
}

TEST_F(HarvesterTest, FullDiskMovesTheLog) {
  std::filesystem::create_directory(directory_ + "/other");
  JobLog log(LogOutput("/dev/full/not/there.hr", {directory_ + "/missing", directory_ + "/other"}), start_);
  Harvester harvester(descriptor_, spools_, log);
  put(spool_name(kNoSuchProcess, 10), sample_spool());
  ASSERT_TRUE(harvester.scan(Harvester::Depth::kQuick).ok());
  ASSERT_TRUE(harvester.flush().ok());
  ASSERT_TRUE(log.close().ok());
  EXPECT_EQ(log.output().path(), directory_ + "/other/there.hr");
  EXPECT_FALSE(log.output().trouble().empty());
  EXPECT_TRUE(format::Reader::open(log.output().path()).ok());
}

TEST_F(HarvesterTest, NoPlaceForTheLogKeepsTheSpools) {
  JobLog log(LogOutput(directory_ + "/missing/a.hr", {}), start_);
  Harvester harvester(descriptor_, spools_, log);
  put(spool_name(kNoSuchProcess, 10), sample_spool());
  ASSERT_TRUE(harvester.scan(Harvester::Depth::kQuick).ok());
  EXPECT_FALSE(harvester.flush().ok());
  EXPECT_EQ(files_left(), 1u);
}

TEST_F(HarvesterTest, OnlyLogsAreReplaced) {
  std::ofstream(directory_ + "/notes.txt") << "my notes";
  EXPECT_EQ(LogOutput::check_replaceable(directory_ + "/notes.txt").code(), base::Code::kInvalid);
  EXPECT_EQ(LogOutput::check_replaceable(directory_).code(), base::Code::kInvalid);
  EXPECT_TRUE(LogOutput::check_replaceable(directory_ + "/new.hr").ok());
  std::ofstream(directory_ + "/empty");
  EXPECT_TRUE(LogOutput::check_replaceable(directory_ + "/empty").ok());
}

TEST(SpoolName, ParsesOnlyItsOwn) {
  SpoolName name;
  ASSERT_TRUE(parse_spool_name("12.ff.spool", &name));
  EXPECT_EQ(name.image.process_id, 12u);
  EXPECT_EQ(name.image.created_ns, 255u);
  EXPECT_FALSE(name.is_note());
  ASSERT_TRUE(parse_spool_name("12.ff.other-class.note", &name));
  EXPECT_EQ(name.reason, "other-class");
  for (const char* other : {"", "config", "12.spool", "12.ff", "12.ff.", "12.ff.note", "12.ff..note", "x.ff.spool",
                            "12.zz.spool", "-1.ff.spool", "99999999999.ff.spool", "12.fffffffffffffffff.spool"}) {
    EXPECT_FALSE(parse_spool_name(other, &name)) << other;
  }
}

TEST(JsonArray, EscapesWhatMustBe) {
  EXPECT_EQ(json_array({}), "[]");
  EXPECT_EQ(json_array({"a", "b\"\\\n"}), R"(["a", "b\"\\\u000a"])");
  EXPECT_EQ(json_array({"gr\xc3\xbc\xc3\x9f"}), "[\"gr\xc3\xbc\xc3\x9f\"]");
  EXPECT_EQ(json_array({"\xff\xc3"}), R"(["\udcff\udcc3"])");
}

}  // namespace
}  // namespace headrace::capture
