#include "workload/emulation/profile.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

namespace headrace::workload::emulation {
namespace {

const std::string kInstalled = std::string(HEADRACE_SOURCE_DIR) + "/src/programs/headrace/share/profiles";

TEST(Profile, InstalledOnesAreRead) {
  const std::vector<std::string> names = profile_names(kInstalled);
  EXPECT_EQ(names, (std::vector<std::string>{"200us", "cetus", "hopper", "intrepid", "jaguar", "small-lustre"}));
  for (const std::string& name : names) {
    const auto profile = find_profile(name, kInstalled);
    ASSERT_TRUE(profile.ok()) << profile.message();
    EXPECT_FALSE(profile->title.empty());
    EXPECT_GT(profile->constants.write, 0u);
  }
}

/// Every constant of an installed profile follows a comment, with nothing but constants between them.
TEST(Profile, InstalledOnesSayWhereNumbersAreFrom) {
  for (const std::string& name : profile_names(kInstalled)) {
    std::ifstream file(kInstalled + "/" + name + ".toml");
    bool explained = false;
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '[')
        explained = false;
      else if (line[0] == '#')
        explained = true;
      else
        EXPECT_TRUE(explained || line.starts_with("title")) << name << ": " << line;
    }
  }
}

/// Carns and others, section VI: 8,192 nodes with two files each, 728 s, of which 25 s remain without creating.
TEST(Profile, IntrepidCreatesAsPublished) {
  const auto profile = find_profile("intrepid", kInstalled);
  ASSERT_TRUE(profile.ok());
  const double seconds = 16'384 * static_cast<double>(profile->constants.create) * 1e-9;
  EXPECT_NEAR(seconds, 728 - 25, 0.01 * (728 - 25));
  EXPECT_EQ(profile->constants.queue_per_directory, 1u);
  EXPECT_NEAR(728 / (728 - seconds), 28, 2);
}

TEST(Profile, ADelayIsOne) {
  const auto profile = find_profile("1.5ms", "/nothing");
  ASSERT_TRUE(profile.ok());
  Constants constants;
  constants.read = constants.write = 1'500'000;
  EXPECT_EQ(profile->constants, constants);
}

TEST(Profile, MistakesNameTheirPlace) {
  const std::pair<const char*, const char*> kRefused[] = {
      {"", "mine.toml: there is no title"},
      {"title = \"x\"\n[latency]\nread = \"fast\"", "mine.toml: line 3: [latency] read: 'fast' is not a time"},
      {"title = \"x\"\n[latency]\nraed = \"1us\"",
       "line 3: [latency] raed: there is no such key; [latency] has read, write, sync"},
      {"title = \"x\"\n[latencies]\nread = \"1us\"",
       "there is no table [latencies]; there are latency, metadata, bandwidth, locks"},
      {"title = \"x\"\nread = \"1us\"", "line 2: read: there is no such key outside of a table"},
      {"title = \"x\"\n[latency]\nread = 200", "200 has no unit; write it as a string, such as \"200us\""},
      {"title = \"x\"\n[latency]\nread = \"61s\"", "up to 60s"},
      {"title = \"x\"\n[bandwidth]\nread = \"5GB\"", "'5GB' is not a rate"},
      {"title = \"x\"\n[metadata]\nqueue = \"all\"", "'all' is not \"service\""},
      {"title = \"x\"\n[locks]\nblock = \"1MiB\"", "block and conflict, both or none"},
      {"title = \"x\"\n[locks]\nblock = \"1KiB\"\nconflict = \"1ms\"", "no lock covers less than 4KiB"},
      {"title = \"x\"\n[latency]\nread = \"1us\nwrite = 2", "line 3: read: the string does not end"},
  };
  for (const auto& [text, said] : kRefused) {
    const auto profile = parse_profile(text, "mine.toml");
    ASSERT_FALSE(profile.ok()) << text;
    EXPECT_NE(profile.message().find(said), std::string::npos) << profile.message();
  }
  EXPECT_EQ(read_profile("/nothing/mine.toml").code(), base::Code::kIo);
  EXPECT_NE(find_profile("intrepdi", kInstalled).message().find("200us, cetus, hopper, intrepid"), std::string::npos);
}

TEST(Profile, ValuesAreExact) {
  EXPECT_EQ(*parse_value("1.5ms", Unit::kTime), 1'500'000u);
  EXPECT_EQ(*parse_value("60s", Unit::kTime), kMostTime);
  EXPECT_EQ(*parse_value("0.5KiB", Unit::kSize), 512u);
  EXPECT_EQ(*parse_value("2.5GB/s", Unit::kRate), 2'500'000'000u);
  EXPECT_EQ(*parse_value("1TiB/s", Unit::kRate), uint64_t{1} << 40);
  for (const char* text :
       {"", "us", ".5us", "5.us", "1.2.3us", "1 us", "-1us", "99999999999999999us", "1e3us", "5", "60.1s"})
    EXPECT_FALSE(parse_value(text, Unit::kTime).ok()) << text;
  EXPECT_EQ(written(42'900'000, Unit::kTime), "42.9ms");
  EXPECT_EQ(written(1'050, Unit::kTime), "1.05us");
  EXPECT_EQ(written(340'000'000, Unit::kRate), "340MB/s");
  for (const uint64_t value :
       {0ull, 10'500ull, 1'230'000ull, 1'001ull, 1ull, 999ull, 1000ull, 1500ull, 4096ull, 5'000'000ull, 1ull << 30})
    for (const Unit unit : {Unit::kTime, Unit::kRate, Unit::kSize})
      EXPECT_EQ(*parse_value(written(value, unit), unit), value) << written(value, unit);
}

TEST(Profile, ConstantsAreHandedOn) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 2'000; ++i) {
    Constants constants, read;
    for (const Constant& each : kConstants) constants.*each.place = random() % (most_of(each.unit) + 1);
    constants.lock_block = std::max(constants.lock_block, kLeastBlock);
    ASSERT_TRUE(read_handed_on(handed_on(constants).c_str(), &read));
    EXPECT_EQ(read, constants);
    std::string damaged = handed_on(constants);
    damaged[random() % damaged.size()] = static_cast<char>(random() % 255 + 1);
    (void)read_handed_on(damaged.c_str(), &read);
    for (const Constant& each : kConstants) EXPECT_LE(read.*each.place, most_of(each.unit));
  }
  Constants untouched;
  untouched.read = 7;
  for (const char* text : {"", "1", "1,", "2,0", "200000", "1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0", "x"})
    EXPECT_FALSE(read_handed_on(text, &untouched)) << text;
  EXPECT_FALSE(read_handed_on(nullptr, &untouched));
  EXPECT_EQ(untouched.read, 7u);
}

}  // namespace
}  // namespace headrace::workload::emulation
