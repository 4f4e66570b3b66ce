#include "programs/scan/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "programs/headrace/places.h"

namespace headrace::programs {

using base::Code;
using base::Result;
using base::Status;

namespace {

/// Runs the command beside this one, and collects what it prints if `output` is given. Its exit status, or -1.
Result<int> run_headrace(const std::vector<std::string>& words, std::string* output) {
  const std::string program = prefix() + "/../bin/headrace";
  std::vector<char*> list = {const_cast<char*>(program.c_str())};
  for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
  list.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Status(Code::kIo, program + ": " + strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output != nullptr) posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t child = 0;
  const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, list.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    return Status(Code::kIo, program + ": " + strerror(error) + "; install Headrace again");
  }
  char part[4096];
  for (ssize_t got = 0; output != nullptr && (got = read(ends[0], part, sizeof part)) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    output->append(part, static_cast<size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

Result<std::vector<collect::ProjectRule>> read_projects(const std::string& map) {
  std::string text;
  HEADRACE_ASSIGN(const int status, run_headrace({"scan", "rules", map}, &text));
  if (status != 0) return Status(Code::kInvalid, "");
  HEADRACE_ASSIGN(std::vector<collect::ProjectRule> rules, collect::rules_of(text));
  for (collect::ProjectRule& rule : rules) {  // roots are without links, and so are their paths
    std::error_code error;
    const std::filesystem::path real = std::filesystem::weakly_canonical(rule.path, error);
    if (!rule.path.empty() && !error) rule.path = real.string();
  }
  return rules;
}

Status write_parquet_rows(const std::string& rows, const std::string& parquet) {
  HEADRACE_ASSIGN(const int status, run_headrace({"scan", "parquet", rows, "-o", parquet}, nullptr));
  return status == 0 ? Status() : Status(Code::kIo, "");
}

}  // namespace headrace::programs
