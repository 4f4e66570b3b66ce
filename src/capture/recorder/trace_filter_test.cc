#include "capture/trace_filter.h"

#include <gtest/gtest.h>

#include <string>

#include "capture/recorder/trace_choice.h"

namespace headrace::capture {
namespace {

TEST(TraceFilter, HasModules) {
  EXPECT_EQ(trace_modules_of("posix"), module_bit(TraceModule::kPosix));
  EXPECT_EQ(trace_modules_of("posix,regions"), module_bit(TraceModule::kPosix) | module_bit(TraceModule::kRegions));
  EXPECT_EQ(trace_modules_of("all"), kAllTraceModules);
  const uint32_t mpi = module_bit(TraceModule::kMpi), messages = module_bit(TraceModule::kMessages);
  EXPECT_EQ(trace_modules_of("mpi"), mpi | messages);
  EXPECT_EQ(trace_modules_of("messages"), messages);
  EXPECT_EQ(trace_modules_of("mpi,-messages"), mpi);
  EXPECT_EQ(trace_modules_of("mpi,-mpi"), messages);
  EXPECT_EQ(trace_modules_of("all,-messages"), kAllTraceModules & ~messages);
  EXPECT_EQ(trace_modules_of("-messages"), kDefaultTraceModules & ~messages);
  for (const char* bad : {"-", "--mpi", "posix,-posi", "mpi,-all", "-messages,"})
    EXPECT_EQ(trace_modules_of(bad), 0u) << bad;
  for (const char* bad : {"", "1", "posix,", ",posix", "posi", "posix,,mpi", "posix, mpi"})
    EXPECT_EQ(trace_modules_of(bad), 0u) << bad;
}

TEST(TraceFilter, IsDescribedAsItWasAskedFor) {
  for (const char* text : {"posix", "stdio,phases", "mpi", "messages", "mpi,-messages", "posix,mpi,hdf5,-messages",
                           "-posix", "-mpi", "-messages,-functions", "all,-posix"}) {
    TraceFilter filter;
    filter.modules = trace_modules_of(text);
    filter.but = are_all_modules_but(text);
    choose_events(filter);
    char described[200];
    const uint32_t length = describe_filter(described, sizeof described);
    EXPECT_EQ(std::string(described, length), std::string("trace=") + text);
    EXPECT_EQ(trace_modules_of(described + strlen("trace=")), filter.modules);
  }
}

TEST(TraceFilter, HasTimesAndTicks) {
  uint64_t ns = 0;
  EXPECT_TRUE(trace_time_of("10us", &ns));
  EXPECT_EQ(ns, 10'000u);
  EXPECT_TRUE(trace_time_of("3600s", &ns));
  for (const char* bad : {"", "10", "us", "-1us", "1 us", "3601s", "99999999999999999999s", "1usx"})
    EXPECT_FALSE(trace_time_of(bad, &ns)) << bad;
  uint8_t shift = 0;
  EXPECT_TRUE(trace_tick_of("16ns", &shift));
  EXPECT_EQ(shift, 4);
  for (const char* bad : {"0ns", "3ns", "2048ns", "1us"}) EXPECT_FALSE(trace_tick_of(bad, &shift)) << bad;
}

TEST(TraceFilter, HasRanks) {
  for (const uint64_t in : {0u, 3u, 7u, 100u}) EXPECT_TRUE(in_trace_ranges("0-3,7,90-100", in)) << in;
  for (const uint64_t out : {4u, 6u, 8u, 101u}) EXPECT_FALSE(in_trace_ranges("0-3,7,90-100", out)) << out;
  for (const char* bad : {"", "a", "3-1", "1-", "-1", "1,", "1-2-3", "1 "}) EXPECT_FALSE(are_trace_ranges(bad)) << bad;
}

TEST(TraceFilter, HasPhases) {
  const char* list = "other,st?p:3-4,9,*/dump";
  EXPECT_TRUE(are_trace_phases(list));
  for (const uint64_t in : {3u, 4u, 9u}) EXPECT_TRUE(in_trace_phases(list, "step", in)) << in;
  for (const uint64_t out : {1u, 5u, 10u}) EXPECT_FALSE(in_trace_phases(list, "step", out)) << out;
  EXPECT_TRUE(in_trace_phases(list, "other", 77));
  EXPECT_TRUE(in_trace_phases(list, "step/dump", 1));
  EXPECT_FALSE(in_trace_phases(list, "dump", 1));
  EXPECT_TRUE(in_trace_phases("a,3", "3", 1)) << "a name: the one in front has no instances";
  for (const char* bad : {"", ":3", "step:", "step:x", "step:3,", "step:4-3"})
    EXPECT_FALSE(are_trace_phases(bad)) << bad;
}

TEST(TraceFilter, HasNames) {
  EXPECT_TRUE(in_trace_patterns("MPI_*,pwrite", "MPI_Barrier"));
  EXPECT_TRUE(in_trace_patterns("MPI_*,pwrite", "pwrite"));
  EXPECT_FALSE(in_trace_patterns("MPI_*,pwrite", "pwrite64"));
}

TEST(TraceFilter, RefusesWhatMakesNoSense) {
  TraceFilter filter;
  EXPECT_FALSE(filter.chooses());
  EXPECT_EQ(set_trace_filter(filter, "trace_nothing", "1"), TraceSetting::kUnknown);
  EXPECT_EQ(set_trace_filter(filter, "trace_only", ""), TraceSetting::kSenseless);
  EXPECT_EQ(set_trace_filter(filter, "trace_only", std::string(kLongestTraceList, 'a').c_str()),
            TraceSetting::kSenseless);
  EXPECT_FALSE(filter.chooses());
  EXPECT_EQ(set_trace_filter(filter, "trace_only", std::string(kLongestTraceList - 1, 'a').c_str()),
            TraceSetting::kTaken);
  EXPECT_TRUE(filter.chooses());
}

}  // namespace
}  // namespace headrace::capture
