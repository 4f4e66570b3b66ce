#include "capture/harvest/copy_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace headrace::capture {
namespace {

bool copy_bytes(int from, int to, uint64_t bytes) {
  char buffer[65536];
  while (bytes > 0) {
    const ssize_t got = read(from, buffer, std::min<uint64_t>(bytes, sizeof buffer));
    if (got <= 0) return false;
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = write(to, buffer + done, static_cast<size_t>(got - done));
      if (put <= 0) return false;
      done += put;
    }
    bytes -= static_cast<uint64_t>(got);
  }
  return true;
}

}  // namespace

base::Status copy_file(const std::string& from, const std::string& to, uint64_t bytes) {
  const int in = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  const int out = in < 0 ? -1 : open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  bool good = out >= 0 && copy_bytes(in, out, bytes);
  int why = errno;
  if (in >= 0) close(in);
  if (out >= 0 && close(out) != 0 && good) {
    why = errno;
    good = false;
  }
  if (good) return {};
  if (out >= 0) unlink(to.c_str());
  return {why == ENOSPC ? base::Code::kNoSpace : base::Code::kIo,
          "cannot copy " + from + " to " + to + ": " + strerror(why)};
}

base::Status move_file(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) == 0) return {};
  struct stat info;
  if (errno != EXDEV || stat(from.c_str(), &info) != 0)
    return {base::Code::kIo, "cannot move " + from + " to " + to + ": " + strerror(errno)};
  // What is there stays until all of the new one is: the way there may be full, or slow, or broken off.
  const std::string beside = to + "." + std::to_string(getpid()) + ".part";
  HEADRACE_TRY(copy_file(from, beside, static_cast<uint64_t>(info.st_size)));
  if (rename(beside.c_str(), to.c_str()) != 0) {
    const int why = errno;
    unlink(beside.c_str());
    return {base::Code::kIo, "cannot move " + from + " to " + to + ": " + strerror(why)};
  }
  unlink(from.c_str());
  return {};
}

}  // namespace headrace::capture
