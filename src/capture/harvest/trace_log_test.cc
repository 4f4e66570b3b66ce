#include "capture/harvest/trace_log.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>

#include "capture/harvest/job_log.h"
#include "capture/harvest/trace_path.h"
#include "events/trace_reader.h"

namespace headrace::capture {
namespace {

constexpr uint64_t kLogSecond = 1'000'000'000;

class TraceLogTest : public testing::Test {
 protected:
  TraceLogTest() {
    char name[] = "/tmp/trace-log-test-XXXXXX";
    directory_ = mkdtemp(name);
    std::filesystem::create_directories(directory_ + "/local");
    std::filesystem::create_directories(directory_ + "/rescue");
    header_.clock = ClockKind::kMonotonic;
    header_.realtime_ns = start_.realtime_ns;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &unlimited_);
  }
  ~TraceLogTest() override {
    limit_files(unlimited_.rlim_cur);
    std::filesystem::remove_all(directory_);
  }

  /// As a full disk: no file becomes longer.
  void limit_files(rlim_t bytes) const {
    const rlimit limit = {bytes, unlimited_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  LogOutput log(std::vector<std::string> fallbacks = {}) const {
    return LogOutput(directory_ + "/a.hr", std::move(fallbacks));
  }
  std::string trace() const { return trace_path(directory_ + "/a.hr"); }

  Moment later() const {
    Moment now = start_;
    now.monotonic_ns = now.boottime_ns = kLogSecond;
    now.realtime_ns += kLogSecond;
    return now;
  }
  static RecordedEvents one_region() {
    RecordedEvents recorded;
    recorded.regions[1] = {RegionKind::kRegion, "a region"};
    RecordedThread& in = recorded.threads[1];
    for (const RawKind kind : {RawKind::kEnter, RawKind::kLeave})
      in.behind.push_back({100, 100, 0, 0, 0, 1, 0, kind, 0});
    in.count = in.behind.size();
    return recorded;
  }
  base::Status add(TraceLog& to, LogOutput& log, uint64_t id, FlushAccount account = {}, const std::string& part = "") {
    RecordedEvents recorded = one_region();
    model::Process process;
    process.id = id;
    return to.add(log, process, recorded, header_, ClockMap(header_, start_, later()), account, part);
  }

  Moment start_{0, 0, 1'000'000'000'000, 0};
  Header header_{};
  rlimit unlimited_{};
  std::string directory_;
};

TEST_F(TraceLogTest, APartThatCannotBeReadIsNoFaultOfThePlace) {
  LogOutput log = this->log({directory_ + "/rescue"});
  TraceLog to(start_);
  FlushAccount account;
  account.generation = 1;
  account.is_part = true;
  EXPECT_EQ(add(to, log, 1, account, directory_ + "/nowhere").code(), base::Code::kCorrupt);
  EXPECT_TRUE(add(to, log, 2).ok()) << "the others' events are stored";
  EXPECT_TRUE(to.close(log).ok());
  EXPECT_EQ(to.path(), trace());
  EXPECT_EQ(to.places().trouble(), "");
  EXPECT_TRUE(std::filesystem::is_empty(directory_ + "/rescue"));
}

TEST_F(TraceLogTest, WhatIsOnLocalStorageIsToldWhereTheDiskIsFull) {
  LogOutput log = this->log();
  TraceLog to(start_);
  to.choose_sink({SinkChoice::Kind::kNode, 1, directory_ + "/local"}, directory_ + "/spool");
  ASSERT_TRUE(add(to, log, 1).ok());
  limit_files(1);
  const base::Status closed = to.close(log);
  limit_files(unlimited_.rlim_cur);
  EXPECT_FALSE(closed.ok());
  const std::string local = directory_ + "/local/spool.trace.hr";
  EXPECT_TRUE(std::filesystem::exists(local));
  EXPECT_NE(closed.message().find("stay in " + local), std::string::npos) << closed.message();
  EXPECT_NE(closed.message().find("no other place"), std::string::npos) << "both are told: " << closed.message();
}

TEST_F(TraceLogTest, EachPlaceIsToldTheFacts) {
  LogOutput log = this->log({directory_ + "/rescue"});
  TraceLog to(start_);
  to.take_fact("command", "[\"a\"]");
  for (uint64_t process = 1; process <= 20; ++process) ASSERT_TRUE(add(to, log, process).ok());
  limit_files(std::filesystem::file_size(trace()));
  ASSERT_TRUE(add(to, log, 21).ok());
  limit_files(unlimited_.rlim_cur);
  ASSERT_TRUE(to.close(log).ok());
  EXPECT_NE(to.path(), trace());
  for (const std::string& path : {trace(), to.path()}) {
    auto reader = events::TraceReader::open(path);
    ASSERT_TRUE(reader.ok()) << reader.message();
    const auto is_command = [](const auto& fact) { return fact.first == "command"; };
    EXPECT_EQ(std::count_if(reader->facts().begin(), reader->facts().end(), is_command), 1) << path;
  }
}

TEST_F(TraceLogTest, WhatFlushersStoredInAPartIsLostWithIt) {
  JobLog job(log(), start_);
  FlushAccount account;
  account.threads[1].at.events = 2000;
  job.add_events({}, account, "", {}, {}, later());
  EXPECT_TRUE(job.calls_not_traced().empty()) << "that is in the trace";
  account.is_part = true;
  job.add_events({}, account, "", {}, {}, later());
  ASSERT_EQ(job.calls_not_traced().size(), 1u);
  EXPECT_EQ(job.calls_not_traced().begin()->second, 1000u);
}

}  // namespace
}  // namespace headrace::capture
