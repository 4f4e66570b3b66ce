#include "programs/headrace/log_place.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headrace::programs {
namespace {

class LogPlace : public testing::Test {
 protected:
  LogPlace() {
    char name[] = "/tmp/headrace-log-place-XXXXXX";
    site_.log_directory = mkdtemp(name);
  }
  ~LogPlace() override { [[maybe_unused]] const int status = system(("rm -r " + site_.log_directory).c_str()); }

  static mode_t mode_of(const std::string& path) {
    struct stat info{};
    stat(path.c_str(), &info);
    return info.st_mode & 07777;
  }

  RunSettings site_;
};

TEST_F(LogPlace, DaysHaveNoLeadingZeros) {
  tm day{};
  day.tm_year = 126;
  day.tm_mon = 2;
  day.tm_mday = 5;
  day.tm_isdst = -1;
  EXPECT_EQ(day_directory("/logs", mktime(&day)), "/logs/2026/3/5");
}

TEST_F(LogPlace, EverybodyMayWriteInADayAlone) {
  const time_t now = time(nullptr);
  chmod(site_.log_directory.c_str(), 0755);
  const mode_t before = umask(077);
  ASSERT_TRUE(make_day_directory(site_.log_directory, now).ok());
  umask(before);
  const std::string day = day_directory(site_.log_directory, now);
  EXPECT_EQ(mode_of(day), 01777u);
  EXPECT_EQ(mode_of(day.substr(0, day.rfind('/'))), 0755u);
  chmod(day.c_str(), 0700);
  ASSERT_TRUE(make_day_directory(site_.log_directory, now).ok());
  EXPECT_EQ(mode_of(day), 0700u) << "what is there is left as it is";
}

TEST_F(LogPlace, TheGroupGoesOn) {
  chmod(site_.log_directory.c_str(), 02755);
  ASSERT_TRUE(make_day_directory(site_.log_directory, time(nullptr)).ok());
  EXPECT_EQ(mode_of(day_directory(site_.log_directory, time(nullptr))), 03777u);
}

TEST_F(LogPlace, ADirectoryThatIsMissingIsSaid) {
  EXPECT_EQ(make_day_directory(site_.log_directory + "/none", time(nullptr)).code(), base::Code::kIo);
}

TEST_F(LogPlace, NamesSayWhoWhatAndWhichJob) {
  const std::string path = default_log_path(site_, {"/opt/my sim", {"slurm", "47[1]"}, false, ""});
  EXPECT_TRUE(path.starts_with(day_directory(site_.log_directory, time(nullptr)) + "/")) << path;
  EXPECT_NE(path.find("_my-sim_47[1]-"), std::string::npos) << path;
  EXPECT_TRUE(path.ends_with("-" + std::to_string(getpid()) + ".hr")) << path;
  const std::string hidden = default_log_path(site_, {"/opt/sim", {"slurm", "4711"}, true, ""});
  EXPECT_NE(hidden.find("/anonymous_run-"), std::string::npos) << hidden;
}

TEST_F(LogPlace, LogsInTheSitesDirectoryHaveItsPermissions) {
  EXPECT_EQ(mode_when_complete(site_, site_.log_directory + "/2026/1/1/a.hr"), 0400u);
  EXPECT_EQ(mode_in_progress(site_, site_.log_directory + "/2026/1/1/a.hr"), 0600u);
  EXPECT_EQ(mode_when_complete(site_, "/home/a/a.hr"), 0u);
  site_.log_mode = 0440;
  EXPECT_EQ(mode_when_complete(site_, site_.log_directory + "/a.hr"), 0440u);
  EXPECT_EQ(mode_in_progress(site_, site_.log_directory + "/a.hr"), 0640u);
}

TEST(Scheduler, TheFirstThatIsSetCounts) {
  for (const char* name : {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"}) unsetenv(name);
  EXPECT_EQ(scheduler_job().scheduler, "");
  setenv("PBS_JOBID", "12.server", 1);
  EXPECT_EQ(scheduler_job().scheduler, "pbs");
  EXPECT_EQ(scheduler_job().id, "12.server");
  setenv("SLURM_JOB_ID", "4711", 1);
  EXPECT_EQ(scheduler_job().scheduler, "slurm");
  unsetenv("SLURM_JOB_ID");
  unsetenv("PBS_JOBID");
  EXPECT_EQ(parse_scheduler_job("nonsense").scheduler, "");
}

}  // namespace
}  // namespace headrace::programs
