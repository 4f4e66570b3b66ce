#include "programs/headrace/settings.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "programs/headrace/options.h"

namespace headrace::programs {
namespace {

class Settings : public testing::Test {
 protected:
  Settings() {
    for (const char* name : {"HEADRACE_MEMORY", "HEADRACE_INCLUDE", "HEADRACE_EXCLUDE", "HEADRACE_FILE_SIZES",
                             "HEADRACE_SPOOL", "HEADRACE_TOPOLOGY"}) {
      unsetenv(name);
    }
    configure("");
    setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
    setenv("HEADRACE_CONFIG", path_.c_str(), 1);
  }
  ~Settings() override {
    unlink(path_.c_str());
    unsetenv("HEADRACE_CONFIG");
  }
  void configure(const std::string& text) { std::ofstream(path_) << text; }

  base::Result<RunSettings> parse(std::vector<std::string> arguments) {
    std::string warning;
    auto result = parse_run(arguments, &warning);
    EXPECT_EQ(warning, "");
    return result;
  }

  std::string path_ = "/tmp/headrace-settings-test-" + std::to_string(getpid()) + ".conf";
};

TEST(Size, HasUnits) {
  EXPECT_EQ(*parse_size("65536"), 65536u);
  EXPECT_EQ(*parse_size("4M"), 4u << 20);
  EXPECT_EQ(*parse_size("512k"), 512u << 10);
  EXPECT_EQ(*parse_size("1GiB"), 1u << 30);
  for (const char* bad : {"", "M", "4X", "4MM", "-4M", "4 M", "99999999999G", "0x10"}) {
    EXPECT_EQ(parse_size(bad).code(), base::Code::kInvalid) << bad;
  }
}

base::Result<CollectSettings> collected(std::vector<std::string> arguments) {
  std::string warning;
  return parse_collect(arguments, &warning);
}

TEST_F(Settings, LaterSourcesWin) {
  configure("# site\nmemory = 8M\nexclude=/site\nfile_sizes=yes\n");
  EXPECT_EQ(parse({"true"})->memory, 8u << 20);
  setenv("HEADRACE_MEMORY", "16M", 1);
  setenv("HEADRACE_EXCLUDE", "/a:/b", 1);
  EXPECT_EQ(parse({"true"})->memory, 16u << 20);
  const auto settings = parse({"--memory=32M", "--include", "/c", "true"});
  unsetenv("HEADRACE_MEMORY");
  unsetenv("HEADRACE_EXCLUDE");
  ASSERT_TRUE(settings.ok()) << settings.message();
  EXPECT_EQ(settings->memory, 32u << 20);
  EXPECT_TRUE(settings->file_sizes);
  ASSERT_EQ(settings->rules.size(), 4u);
  EXPECT_EQ(settings->rules[0].prefix, "/site");
  EXPECT_EQ(settings->rules[2].prefix, "/b");
  EXPECT_FALSE(settings->rules[3].exclude);
}

TEST_F(Settings, MistakesNameFileAndLine) {
  configure("memory=8M\n\nmemmory=1\n");
  EXPECT_NE(parse({"true"}).message().find(path_ + ":3: unknown key \"memmory\""), std::string::npos);
  configure("no equals sign\n");
  EXPECT_NE(parse({"true"}).message().find(path_ + ":1:"), std::string::npos);
  configure("memory=12\n");
  EXPECT_NE(parse({"true"}).message().find("128K"), std::string::npos);
  setenv("HEADRACE_CONFIG", "/missing.conf", 1);
  EXPECT_EQ(parse({"true"}).code(), base::Code::kNotFound);
  EXPECT_NE(parse({"true"}).message().find("/missing.conf"), std::string::npos);
}

TEST_F(Settings, OptionsEndAtTheCommand) {
  const auto plain = parse({"-o", "a.hr", "ls", "-l", "--memory"});
  ASSERT_TRUE(plain.ok()) << plain.message();
  EXPECT_EQ(plain->command, (std::vector<std::string>{"ls", "-l", "--memory"}));
  EXPECT_EQ(plain->output, "a.hr");
  EXPECT_EQ(parse({"-ob.hr", "--", "--strange"})->command[0], "--strange");
  EXPECT_EQ(parse({"--quiet", "--output=c.hr", "x"})->output, "c.hr");
}

TEST_F(Settings, BadCommandLines) {
  for (std::vector<std::string> bad : std::vector<std::vector<std::string>>{{},
                                                                            {"--"},
                                                                            {"-o"},
                                                                            {"-o", "", "x"},
                                                                            {"--memory", "x"},
                                                                            {"--memory", "4X", "true"},
                                                                            {"--nonsense", "true"},
                                                                            {"--file-sizes=1", "true"},
                                                                            {"--spool", "relative", "true"},
                                                                            {"--exclude=", "true"}}) {
    EXPECT_EQ(parse(bad).code(), base::Code::kInvalid) << (bad.empty() ? "" : bad[0]);
  }
  EXPECT_EQ(parse({"--help"}).message(), "help");
  EXPECT_EQ(parse({"--exclude", std::string(4000, 'x'), "true"}).code(), base::Code::kLimit);
}

TEST_F(Settings, TheSiteSaysWhereLogsGo) {
  configure("log_directory = /logs/headrace/\nlog_mode = 0440\nnever_capture = ssh\nnever_capture=/opt/tools/*\n");
  const auto settings = parse({"true"});
  ASSERT_TRUE(settings.ok()) << settings.message();
  EXPECT_EQ(settings->log_directory, "/logs/headrace");
  EXPECT_EQ(settings->log_mode, 0440u);
  EXPECT_EQ(settings->never_capture, (std::vector<std::string>{"ssh", "/opt/tools/*"}));
  for (const char* bad : {"log_directory=logs", "log_mode=rw", "log_mode=0777", "log_mode=0040", "capture=maybe",
                          "never_capture=", "user_configuration=2"}) {
    configure(std::string("memory=1M\n") + bad + "\n");
    EXPECT_TRUE(parse({"true"}).message().starts_with(path_ + ":2: ")) << bad;
  }
}

TEST_F(Settings, TheUsersFileComesAfterTheSites) {
  const std::string directory = "/tmp/headrace-settings-test-" + std::to_string(getpid());
  ASSERT_EQ(mkdir(directory.c_str(), 0700), 0);
  std::ofstream(directory + "/headrace.conf") << "memory = 2M\n";
  setenv("XDG_CONFIG_HOME", directory.c_str(), 1);
  configure("memory = 8M\nfile_sizes = 1\n");
  EXPECT_EQ(parse({"true"})->memory, 2u << 20);
  EXPECT_TRUE(parse({"true"})->file_sizes);
  configure("memory = 8M\nuser_configuration = off\n");
  EXPECT_EQ(parse({"true"})->memory, 8u << 20);
  configure("memory = 8M\n");
  std::ofstream(directory + "/headrace.conf") << "memory = 2M\nwhat\n";
  std::string warning;
  EXPECT_EQ(parse_run({"true"}, &warning)->memory, 8u << 20);
  EXPECT_TRUE(warning.starts_with(directory + "/headrace.conf:2: ")) << warning;
  unlink((directory + "/headrace.conf").c_str());
  rmdir(directory.c_str());
}

TEST_F(Settings, RelativePrefixesAreMadeAbsolute) {
  const auto settings = parse({"--exclude", "build/", "true"});
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->rules[0].prefix[0], '/');
  EXPECT_TRUE(settings->rules[0].prefix.ends_with("/build/"));
}

TEST(CollectOptions, ComeBeforeAndBehindSources) {
  EXPECT_EQ(collected({"a", "b"})->sources.size(), 2u);
  EXPECT_EQ(collected({"-o", "x.hr", "a"})->output, "x.hr");
  const auto mixed = collected({"a", "-q", "b", "-o", "x.hr", "--", "-c"});
  EXPECT_EQ(mixed->sources, (std::vector<std::string>{"a", "b", "-c"}));
  EXPECT_EQ(mixed->output, "x.hr");
  EXPECT_TRUE(mixed->quiet);
  EXPECT_EQ(collected({"--what"}).code(), base::Code::kInvalid);
}

}  // namespace
}  // namespace headrace::programs
