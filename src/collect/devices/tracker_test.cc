#include "collect/devices/tracker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace headrace::collect {
namespace {

constexpr int64_t kTrackerSecond = 1'000'000, kBegin = 1'000 * kTrackerSecond;

/// A machine whose clocks and counters the test sets.
class Machine : public ::testing::Test {
 protected:
  void set(const std::string& device, int64_t reads, Kind kind = Kind::kBlock) {
    for (Reading& known : devices_) {
      if (known.device == device) return void(known.counters[kReads] = reads);
    }
    devices_.push_back({kind, device, {}});
    devices_.back().counters[kReads] = reads;
  }
  void remove(const std::string& device) {
    std::erase_if(devices_, [&](const Reading& known) { return known.device == device; });
  }
  void pass(int64_t us) { now_.real_us += us, now_.boot_us += us; }
  const Rows& look(bool whole = true) {
    look_.begin(now_);
    for (const Reading& device : devices_) look_.add_device() = device;
    for (const JobReading& job : jobs_) look_.add_job() = job;
    look_.whole = whole;
    return tracker_.compare(look_);
  }
  /// "device reads start-end" of each sample, then "!device reason start-end" of each gap; times in seconds.
  std::string step(bool whole = true) {
    const std::string text = text_of(look(whole));
    tracker_.commit();
    return text;
  }
  static std::string times(const Times& times, size_t row) {
    const auto at = [](int64_t us) { return std::to_string((us - kBegin) / kTrackerSecond); };
    return " " + at(times.start_us[row]) + "-" + at(times.end_us[row]) + "; ";
  }
  static std::string text_of(const Rows& rows) {
    std::string text;
    for (size_t i = 0; i < rows.samples.kind.size(); ++i)
      text += std::string(rows.samples.device[i]) + " " + std::to_string(rows.samples.counters[kReads][i]) +
              times(rows.samples.times, i);
    for (size_t i = 0; i < rows.gaps.device.size(); ++i)
      text += "!" + rows.gaps.device[i] + " " + rows.gaps.reason[i] + times(rows.gaps.times, i);
    for (size_t i = 0; i < rows.jobs.job.size(); ++i)
      text += "job " + rows.jobs.job[i] + " " + std::to_string(rows.jobs.counters[0][i]) + times(rows.jobs.times, i);
    return text;
  }

  Moment now_{kBegin, 50 * kTrackerSecond};
  std::vector<Reading> devices_;
  std::vector<JobReading> jobs_;
  Look look_;
  Tracker tracker_{kTrackerSecond, "boot", EarlierRun{"boot", kBegin - 10 * kTrackerSecond}};
};

TEST_F(Machine, SamplesAreWhatCountersGrewBy) {
  set("a", 100);
  set("b", 7);
  EXPECT_EQ(step(), "! restart -10-0; ");
  pass(kTrackerSecond);
  set("a", 103);
  EXPECT_EQ(step(), "a 3 0-1; b 0 0-1; ");
}

TEST(Tracker, AnotherBootIsAReboot) {
  Tracker tracker(kTrackerSecond, "new", EarlierRun{"old", 5});
  Look look;
  look.begin({9, 9});
  const Rows& rows = tracker.compare(look);
  ASSERT_EQ(rows.gaps.reason.size(), 1U);
  EXPECT_EQ(rows.gaps.reason[0], "reboot");
  EXPECT_TRUE(Tracker(kTrackerSecond, "new", {}).compare(look).empty());
}

TEST_F(Machine, AMissedMomentIsAGapAndALongerSample) {
  set("a", 1);
  step();
  pass(5 * kTrackerSecond);
  set("a", 11);
  EXPECT_EQ(step(), "a 10 0-5; ! missed 0-5; ");
}

TEST_F(Machine, WhatCouldNotBeStoredIsInTheNextSample) {
  set("a", 1);
  step();
  for (int i = 0; i < 3; ++i) {
    pass(kTrackerSecond);
    set("a", 10 + i);
    set("b", 5 + i);
    look();
    tracker_.lose();
  }
  pass(kTrackerSecond);
  EXPECT_EQ(step(), "a 11 0-4; b 7 0-4; ! lost 0-4; ");
  pass(kTrackerSecond);
  EXPECT_EQ(step(), "a 0 4-5; b 0 4-5; ");
}

TEST_F(Machine, TheFirstLookMayBeLostToo) {
  set("a", 100);
  look();
  tracker_.lose();
  pass(kTrackerSecond);
  set("a", 200);
  EXPECT_EQ(step(), "! restart -10-1; ");
  pass(kTrackerSecond);
  set("a", 201);
  EXPECT_EQ(step(), "a 1 1-2; ");
}

TEST_F(Machine, ACounterThatGoesBackIsAReset) {
  set("a", 100);
  step();
  pass(kTrackerSecond);
  set("a", 40);
  EXPECT_EQ(step(), "!a reset 0-1; ");
  pass(kTrackerSecond);
  set("a", 45);
  EXPECT_EQ(step(), "a 5 1-2; ");
}

TEST_F(Machine, MillisecondsOf32BitsWrap) {
  set("a", 100);
  devices_[0].counters[kBusyMs] = (int64_t{1} << 32) - 10;
  step();
  pass(kTrackerSecond);
  devices_[0].counters[kBusyMs] = 20;
  const Rows& rows = look();
  ASSERT_EQ(rows.samples.kind.size(), 1U);
  EXPECT_EQ(rows.samples.counters[kBusyMs][0], 30);
  EXPECT_TRUE(rows.gaps.device.empty());
}

TEST_F(Machine, MillisecondsOfAnotherDiskHaveNotWrapped) {
  set("a", 100);
  devices_[0].counters[kBusyMs] = 500'000;
  step();
  pass(kTrackerSecond);
  set("a", 200);
  devices_[0].counters[kBusyMs] = 20;
  EXPECT_EQ(step(), "!a reset 0-1; ");
}

TEST_F(Machine, OnlyMillisecondsOfBlockDevicesWrap) {
  constexpr int64_t kNearly = (int64_t{1} << 32) - 10;
  for (const auto& [kind, counter] : {std::pair{Kind::kBlock, kWrites}, {Kind::kLustreOst, kReadMs}}) {
    devices_ = {{kind, "a", {}}};
    devices_[0].counters[counter] = kNearly;
    step();
    pass(kTrackerSecond);
    devices_[0].counters[counter] = 20;
    EXPECT_EQ(look().samples.kind.size(), 0U);
    EXPECT_EQ(step().substr(0, 8), "!a reset");
    devices_.clear();
    for (int i = 0; i < 5; ++i) step();
  }
}

TEST_F(Machine, DevicesComeAndGo) {
  set("a", 1);
  step();
  pass(kTrackerSecond);
  set("b", 6);  // since it came
  EXPECT_EQ(step(), "a 0 0-1; b 6 0-1; ");
  pass(kTrackerSecond);
  remove("a");
  EXPECT_EQ(step(), "b 0 1-2; !a gone 1-2; ");
  pass(kTrackerSecond);
  set("a", 9);  // it was missed
  EXPECT_EQ(step(), "b 0 2-3; a 8 1-3; !a lost 1-3; ");
  remove("a");
  pass(kTrackerSecond);
  EXPECT_EQ(step(), "b 0 3-4; !a gone 3-4; ");
  pass(kTrackerSecond);
  set("a", 4);  // another one of that name
  EXPECT_EQ(step(), "b 0 4-5; a 4 4-5; ");
  remove("a");
  for (int i = 0; i < 5; ++i) {
    pass(kTrackerSecond);
    step();
  }
  set("a", 9);  // so late it is another one, too
  pass(kTrackerSecond);
  EXPECT_EQ(step(), "b 0 10-11; a 9 10-11; ");
}

TEST_F(Machine, ADeviceThatWasMissedIsGoneOnce) {
  set("a", 1);
  step();
  remove("a");
  pass(kTrackerSecond);
  EXPECT_EQ(step(), "!a gone 0-1; ");
  pass(kTrackerSecond);
  EXPECT_EQ(step(), "");
  set("a", 2);
  pass(kTrackerSecond);
  look();  // is not stored
  tracker_.lose();
  pass(kTrackerSecond);
  EXPECT_EQ(step(), "a 1 0-4; ! lost 2-4; !a lost 0-4; ");
}

TEST_F(Machine, OneThatWasLeftOutMeanwhileIsNoMissedOne) {
  set("a", 1);
  step();
  const Reading a = devices_[0];
  remove("a");
  pass(kTrackerSecond);
  step();
  devices_ = {a};
  devices_[0].was_there = true;
  devices_[0].counters[kReads] = 50;
  pass(kTrackerSecond);
  EXPECT_EQ(step(), "!a reset 1-2; ");
}

TEST_F(Machine, DevicesAreFoundInWhateverOrderTheyCome) {
  for (const char* name : {"c", "d", "e"}) set(name, 1);
  step();
  devices_.insert(devices_.begin(), {Kind::kBlock, "b", {5}});
  pass(kTrackerSecond);
  EXPECT_EQ(step(), "b 5 0-1; c 0 0-1; d 0 0-1; e 0 0-1; ");
  std::reverse(devices_.begin(), devices_.end());
  pass(kTrackerSecond);
  EXPECT_EQ(step(), "e 0 1-2; d 0 1-2; c 0 1-2; b 0 1-2; ");
}

TEST_F(Machine, TargetsOfOneNameAndTwoKindsAreTwo) {
  devices_ = {{Kind::kLustreOst, "x", {1}}, {Kind::kLustreMdt, "x", {100}}};
  step();
  devices_ = {{Kind::kLustreMdt, "x", {103}}, {Kind::kLustreOst, "x", {2}}};
  pass(kTrackerSecond);
  EXPECT_EQ(step(), "x 3 0-1; x 1 0-1; ");
}

TEST_F(Machine, ATargetOfAServerThatComesIsComparedFromThenOn) {
  set("a", 1);
  step();
  pass(kTrackerSecond);
  set("ost", 1'000'000, Kind::kLustreOst);
  EXPECT_EQ(step(), "a 0 0-1; ");
  pass(kTrackerSecond);
  set("ost", 1'000'005);
  EXPECT_EQ(step(), "a 0 1-2; ost 5 1-2; ");
}

TEST_F(Machine, WhatCouldNotBeReadOnceIsNotGone) {
  set("a", 1);
  set("b", 1);
  step();
  pass(kTrackerSecond);
  remove("b");
  EXPECT_EQ(step(false), "a 0 0-1; ");
  pass(kTrackerSecond);
  set("b", 9);
  EXPECT_EQ(step(), "a 0 1-2; b 8 0-2; !b lost 0-2; ");
}

TEST_F(Machine, WhatCannotBeReadForLongIsGone) {
  set("a", 1);
  set("b", 1);
  step();
  remove("b");
  std::string gone;
  for (int i = 1; i <= 4000; ++i) {
    pass(kTrackerSecond);
    const std::string said = step(false);
    if (said.find("gone") != said.npos) gone += said;
  }
  EXPECT_EQ(gone, "a 0 3600-3601; !b gone 0-3601; ");
}

TEST_F(Machine, WhatALookMayHaveMissedDidNotComeAfterIt) {
  set("a", 1);
  step(false);
  pass(kTrackerSecond);
  set("b", 1'000'000);
  EXPECT_EQ(step(), "a 0 0-1; ");
  pass(kTrackerSecond);
  set("b", 1'000'007);
  EXPECT_EQ(step(), "a 0 1-2; b 7 1-2; ");
}

TEST_F(Machine, ClockSteps) {
  set("a", 1);
  step();
  pass(kTrackerSecond);
  now_.real_us += 3600 * kTrackerSecond;
  set("a", 3);
  EXPECT_EQ(step(), "a 2 3600-3601; ! clock 0-3600; ");
  pass(kTrackerSecond);
  now_.real_us -= 7200 * kTrackerSecond;
  EXPECT_EQ(step(), "a 0 -3599--3598; ! clock 3601--3599; ");
  pass(kTrackerSecond);
  now_.real_us += 50'000;  // a clock that is put right slowly
  EXPECT_EQ(step(), "a 0 -3598--3596; ");
}

TEST_F(Machine, JobsOfServersCountWhatTheyDid) {
  set("ost", 1, Kind::kLustreOst);
  jobs_ = {{"ost", "dd.0", {5, 500, 0, 0, 1}}};
  step();
  pass(kTrackerSecond);
  jobs_ = {{"ost", "dd.0", {7, 700, 0, 0, 1}}, {"ost", "new", {2, 2, 0, 0, 0}}};
  jobs_.push_back(jobs_[0]);  // listed twice, as happens when the server changes its list meanwhile
  EXPECT_EQ(step(), "ost 0 0-1; job dd.0 2 0-1; job new 2 0-1; ");
  jobs_.pop_back();
  pass(kTrackerSecond);
  EXPECT_EQ(step(), "ost 0 1-2; ");
  pass(kTrackerSecond);
  jobs_ = {{"ost", "dd.0", {1, 100, 0, 0, 1}}};  // forgotten by the server, and begun anew
  EXPECT_EQ(step(), "ost 0 2-3; job dd.0 1 2-3; ");
}

TEST_F(Machine, AJobThatALookMissedGoesOn) {
  set("ost", 1, Kind::kLustreOst);
  const std::vector<JobReading> all = {{"ost", "dd.0", {5, 500, 0, 0, 1}}};
  jobs_ = all;
  step();
  pass(kTrackerSecond);
  jobs_.clear();
  EXPECT_EQ(step(), "ost 0 0-1; ");
  pass(kTrackerSecond);
  jobs_ = all;
  jobs_[0].counters[0] = 8;
  EXPECT_EQ(step(), "ost 0 1-2; job dd.0 3 0-2; ");
  jobs_.clear();
  for (int i = 0; i < 5; ++i) {
    pass(kTrackerSecond);
    step();
  }
  pass(kTrackerSecond);
  jobs_ = all;  // so late the server has forgotten it
  EXPECT_EQ(step(), "ost 0 7-8; job dd.0 5 7-8; ");
}

TEST_F(Machine, AJobThatTheLookBeforeMayHaveMissedIsComparedFromThenOn) {
  set("ost", 1, Kind::kLustreOst);
  step(false);
  pass(kTrackerSecond);
  jobs_ = {{"ost", "dd.0", {1000, 0, 0, 0, 0}}};
  EXPECT_EQ(step(), "ost 0 0-1; ");
  pass(kTrackerSecond);
  jobs_[0].counters[0] = 1007;
  EXPECT_EQ(step(), "ost 0 1-2; job dd.0 7 1-2; ");
}

TEST_F(Machine, JobsOfATargetThatComesAreComparedFromThenOn) {
  set("a", 1);
  step();
  pass(kTrackerSecond);
  set("ost", 1, Kind::kLustreOst);
  jobs_ = {{"ost", "dd.0", {1000, 0, 0, 0, 0}}};
  EXPECT_EQ(step(), "a 0 0-1; ");
  pass(kTrackerSecond);
  jobs_[0].counters[0] = 1007;
  EXPECT_EQ(step(), "a 0 1-2; ost 0 1-2; job dd.0 7 1-2; ");
}

TEST_F(Machine, WhatAJobDidInALookThatWasNotStoredIsNotForgotten) {
  set("ost", 1, Kind::kLustreOst);
  jobs_ = {{"ost", "dd.0", {5, 0, 0, 0, 0}}};
  step();
  jobs_[0].counters[0] = 9;
  pass(kTrackerSecond);
  look();
  tracker_.lose();
  pass(kTrackerSecond);
  const std::vector<JobReading> kept = std::exchange(jobs_, {});
  step(false);
  pass(kTrackerSecond);
  jobs_ = kept;
  EXPECT_EQ(step(), "ost 0 2-3; job dd.0 4 0-3; ");
}

}  // namespace
}  // namespace headrace::collect
