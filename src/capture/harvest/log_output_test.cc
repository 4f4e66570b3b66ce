#include "capture/harvest/log_output.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace headrace::capture {
namespace {

TEST(LogOutput, ALogThatCannotBeOpenedAgainIsLeftAlone) {
  const auto directory = std::filesystem::temp_directory_path() / ("log-output-" + std::to_string(getpid()));
  std::filesystem::create_directories(directory / "fallback");
  const auto path = directory / "job.hr";
  LogTables tables;
  LogOutput output(path, {directory / "fallback"});
  tables.add_fact("a", "1");
  ASSERT_TRUE(output.write(tables, true).ok());
  ASSERT_TRUE(output.close().ok());
  std::filesystem::rename(path, directory / "kept.hr");
  std::ofstream(path) << "notes of the user";

  tables.add_fact("b", "2");
  EXPECT_TRUE(output.write(tables, true).ok());
  EXPECT_TRUE(output.close().ok());
  EXPECT_EQ(output.path(), directory / "fallback" / "job.hr");
  EXPECT_EQ(output.earlier_part(), path);
  std::string text;
  std::getline(std::ifstream(path), text);
  EXPECT_EQ(text, "notes of the user");
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace headrace::capture
