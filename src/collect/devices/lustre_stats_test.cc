#include "collect/devices/lustre_stats.h"

#include <gtest/gtest.h>

namespace headrace::collect {
namespace {

TEST(LustreStats, AnObjectTarget) {
  Counters counters;
  EXPECT_EQ(parse_lustre_stats("snapshot_time             1409777887.590578 secs.usecs\n"
                               "read_bytes                27846475 samples [bytes] 4096 1048576 14421705314304\n"
                               "write_bytes               16230483 samples [bytes] 1 1048576 14761109479164\n"
                               "get_info                  3735777 samples [reqs]\n"
                               "setattr                   12 samples [reqs]\n"
                               "punch                     30 samples [usecs] 1 9 200 3000\n",
                               counters),
            0U);
  EXPECT_EQ(counters, (Counters{27846475, 14421705314304, 16230483, 14761109479164, -1, -1, -1, -1, 42}));
}

TEST(LustreStats, NewerVersionsTellTimes) {
  Counters counters;
  EXPECT_EQ(parse_lustre_stats("snapshot_time   1720000000.123456789 secs.nsecs\n"
                               "start_time      1710000000.123456789 secs.nsecs\n"
                               "elapsed_time    10000000.000000000 secs.nsecs\n"
                               "read_bytes      3 samples [bytes] 1 9 20 50\n"
                               "read            3 samples [usecs] 900 4000 6000 9000000\n",
                               counters),
            0U);
  EXPECT_EQ(counters[kReadMs], 6);
  EXPECT_EQ(counters[kWriteMs], kNotKnown);
}

TEST(LustreStats, RenamesCountOnce) {
  Counters counters;
  parse_lustre_stats(
      "rename 5 samples [usecs] 1 2 3 4\nsamedir_rename 3 samples [usecs] 1 2 3 4\n"
      "crossdir_rename 2 samples [usecs] 1 2 3 4\nopen 7 samples [reqs]\n",
      counters);
  EXPECT_EQ(counters[kMetadata], 12);
}

TEST(LustreStats, OtherLinesAreCounted) {
  Counters counters;
  EXPECT_EQ(parse_lustre_stats("read_bytes x samples [bytes]\n\nread_bytes 1 samples bytes\nopen 1\n"
                               "read_bytes 1 samples [bytes] 1 2\nwrite_bytes 2 samples [bytes] 1 2 3\n",
                               counters),
            5U);
  EXPECT_EQ(counters[kWriteBytes], 3);
}

TEST(JobStats, JobsOfATarget) {
  Look look;
  look.begin({});
  parse_job_stats(
      "job_stats:\n"
      "- job_id:          dd.0\n"
      "  snapshot_time:   1409778251\n"
      "  read_bytes:      { samples:           2, unit: bytes, min:       1, max:       9, sum:              10 }\n"
      "  write_bytes:     { samples:           4, unit: bytes, min:       1, max:       9, sum:              20, "
      "sumsq: 400 }\n"
      "  getattr:         { samples:           3, unit:  reqs }\n"
      "  read:            { samples:           2, unit: usecs, min:       1, max:       9, sum:              10 }\n"
      "- job_id:          \"a b\"\n"
      "  setattr:         { samples:           1, unit:  reqs }\n",
      "fs-OST0000", look);
  ASSERT_EQ(look.job_count, 2U);
  EXPECT_EQ(look.jobs[0].job, "dd.0");
  EXPECT_EQ(look.jobs[0].counters, (std::array<int64_t, 5>{2, 10, 4, 20, 3}));
  EXPECT_EQ(look.jobs[1].job, "a b");
  EXPECT_EQ(look.jobs[1].counters[4], 1);
  EXPECT_EQ(look.garbled, 0U);
}

TEST(JobStats, OtherLinesAreCounted) {
  Look look;
  look.begin({});
  parse_job_stats("  read_bytes: { samples: 1, sum: 2 }\n- job_id: x\n  read_bytes: { samples: 1 }\nnonsense\n", "t",
                  look);
  EXPECT_EQ(look.garbled, 3U);
  EXPECT_EQ(look.job_count, 1U);
  EXPECT_FALSE(look.whole);
}

TEST(JobStats, WhatFollowsAJobWithoutANameIsNotTheJobsBefore) {
  Look look;
  look.begin({});
  parse_job_stats("- job_id: x\n- job: y\n  read_bytes: { samples: 1, sum: 2 }\n", "t", look);
  EXPECT_EQ(look.garbled, 2U);
  ASSERT_EQ(look.job_count, 1U);
  EXPECT_EQ(look.jobs[0].counters[1], 0);
}

}  // namespace
}  // namespace headrace::collect
