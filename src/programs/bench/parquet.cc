#include "programs/bench/parquet.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;

/// All but what preloads libraries.
std::vector<char*> plain_environment_of(char** all) {
  std::vector<char*> kept;
  for (; *all != nullptr; ++all)
    if (strncmp(*all, "LD_PRELOAD=", strlen("LD_PRELOAD=")) != 0) kept.push_back(*all);
  kept.push_back(nullptr);
  return kept;
}

bool write_all(int fd, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = write(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<size_t>(written);
  }
  return true;
}

Status failed(const std::string& file, int error) {
  return {Code::kIo, file + ": the figures cannot be written: " + strerror(error)};
}

}  // namespace

Status check_parquet(const std::string& file) {
  const size_t slash = file.rfind('/');
  const std::string directory = slash == file.npos ? "." : file.substr(0, slash + 1);
  const auto refuse = [](const std::string& what, int error) {
    return Status(Code::kInvalid, "--parquet: " + what + ": " + strerror(error));
  };
  if (access(directory.c_str(), W_OK | X_OK) != 0) return refuse(directory, errno);
  struct stat info;
  if (stat(file.c_str(), &info) != 0) return {};  // to be made
  if (S_ISDIR(info.st_mode)) return refuse(file, EISDIR);
  return access(file.c_str(), W_OK) == 0 ? Status() : refuse(file, errno);
}

Status write_parquet(const std::string& json, const std::string& file) {
  const std::string program = prefix() + "/../bin/headrace";
  const char* words[] = {program.c_str(), "bench", "parquet", "-", "-o", file.c_str(), nullptr};
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return failed(file, errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  pid_t child = 0;
  std::vector<char*> environment = plain_environment_of(environ);
  const int error =
      posix_spawn(&child, program.c_str(), &actions, nullptr, const_cast<char**>(words), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[0]);
  if (error != 0) {
    close(ends[1]);
    return failed(program, error);
  }
  signal(SIGPIPE, SIG_IGN);  // it then says itself why it has ended
  (void)write_all(ends[1], json);
  close(ends[1]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? Status() : Status(Code::kIo, "");
}

}  // namespace headrace::programs
