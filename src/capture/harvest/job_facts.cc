#include "capture/harvest/job_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/harvest/small_file.h"

namespace headrace::capture {

std::map<std::string, std::string> read_job_facts(int directory) {
  std::map<std::string, std::string> facts;
  const std::string text = read_small_file_at(directory, kJobFactsFile, 1 << 20);
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) break;  // a last line without its end was cut
    const std::string line = text.substr(at, end - at);
    const size_t equals = line.find('=');
    if (equals != std::string::npos) facts[line.substr(0, equals)] = line.substr(equals + 1);
    at = end + 1;
  }
  return facts;
}

bool are_of_a_job(const std::map<std::string, std::string>& facts) {
  return facts.count("start_utc_ns") != 0 || facts.count("job_identity") != 0;
}

base::Status keep_job_facts(int directory, const std::map<std::string, std::string>& facts) {
  std::string text;
  for (const auto& [key, value] : facts) {
    if (value.find('\n') == std::string::npos) text += key + "=" + value + "\n";
  }
  const std::string name = std::string(kJobFactsFile) + "." + std::to_string(getpid());
  const int fd = openat(directory, name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
  const ssize_t written = fd < 0 ? -1 : write(fd, text.data(), text.size());
  if (fd >= 0) close(fd);
  if (written == static_cast<ssize_t>(text.size()) && renameat(directory, name.c_str(), directory, kJobFactsFile) == 0)
    return {};
  const int error = written >= 0 && errno == 0 ? ENOSPC : errno;
  unlinkat(directory, name.c_str(), 0);
  return {error == ENOSPC ? base::Code::kNoSpace : base::Code::kIo,
          std::string("the job's facts cannot be kept: ") + strerror(error)};
}

std::optional<Moment> told_start(const std::map<std::string, std::string>& facts) {
  const auto number = [&](const char* key) {
    const auto found = facts.find(key);
    return found == facts.end() ? 0 : strtoull(found->second.c_str(), nullptr, 10);
  };
  const Moment start{0, number("start_monotonic_ns"), number("start_utc_ns"), number("start_boottime_ns")};
  if (start.realtime_ns == 0) return {};
  return start.boottime_ns != 0 ? start : Moment::at(start.realtime_ns);
}

}  // namespace headrace::capture
