#include "programs/headrace/log_place.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/harvest/job_log.h"
#include "capture/harvest/small_file.h"
#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;

constexpr mode_t kDefaultMode = 0400;  // a log tells names of files: its user's alone unless the site says otherwise
constexpr size_t kLongestPart = 60;

tm local(time_t when) {
  tm parts{};
  localtime_r(&when, &parts);
  return parts;
}

std::string formatted(const char* format, time_t when) {
  char text[64];
  const tm parts = local(when);
  strftime(text, sizeof text, format, &parts);
  return text;
}

/// Names of programs, users and jobs go into file names: what shells or people would stumble over becomes '-'.
std::string plain(const std::string& text) {
  std::string out = text.substr(0, kLongestPart);
  for (char& c : out) {
    const bool good =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr(".+-[]@", c) != nullptr;
    if (!good || c == '\0') c = '-';
  }
  return out.empty() ? "-" : out;
}

/// The user's name from /etc/passwd or the environment: a name service might take seconds, and a statically linked
/// command has none. The number where neither tells it.
std::string user_name() {
  const std::string number = std::to_string(geteuid());
  const std::string users = capture::read_small_file("/etc/passwd", 4 << 20);
  for (size_t at = 0; at < users.size();) {
    const size_t end = std::min(users.find('\n', at), users.size());
    const std::string line = users.substr(at, end - at);
    const size_t name = line.find(':'), password = line.find(':', name + 1);
    if (name != std::string::npos && password != std::string::npos &&
        line.compare(password + 1, number.size() + 1, number + ":") == 0) {
      return line.substr(0, name);
    }
    at = end + 1;
  }
  for (const char* variable : {"LOGNAME", "USER"}) {
    const char* value = getenv(variable);
    if (value != nullptr && *value != '\0') return value;
  }
  return number;
}

std::string site_name(const LogName& name, time_t now) {
  const std::string user = name.anonymous ? "anonymous" : plain(user_name());
  const std::string program = name.anonymous ? "run" : plain(name.program);
  const std::string job = name.anonymous || name.job.id.empty() ? "" : "_" + plain(name.job.id);
  if (!name.identity.empty()) return user + "_" + program + job + "-" + name.identity;
  return user + "_" + program + job + formatted("-%H%M%S-", now) +
         (name.anonymous ? "" : plain(capture::host_name()) + "-") + std::to_string(getpid());
}

/// The log that another node began for the same launch, perhaps under the name of another of its programs, perhaps
/// before midnight; "" = none.
std::string log_of_launch(const std::string& log_directory, const std::string& identity, time_t now) {
  constexpr time_t kDay = 24 * 60 * 60;
  const std::string end = "-" + identity + ".hr";
  for (const time_t when : {now, now - kDay}) {
    const std::string day = day_directory(log_directory, when);
    std::string found;
    DIR* stream = opendir(day.c_str());
    if (stream == nullptr) continue;
    while (const dirent* entry = readdir(stream)) {
      const std::string path = day + "/" + entry->d_name;
      struct stat info;
      if (path.ends_with(end) && lstat(path.c_str(), &info) == 0 && info.st_uid == geteuid()) found = path;
    }
    closedir(stream);
    if (!found.empty()) return found;
  }
  return "";
}

}  // namespace

std::string day_directory(const std::string& log_directory, time_t when) {
  const tm parts = local(when);
  return log_directory + "/" + std::to_string(parts.tm_year + 1900) + "/" + std::to_string(parts.tm_mon + 1) + "/" +
         std::to_string(parts.tm_mday);
}

Status make_day_directory(const std::string& log_directory, time_t when) {
  struct stat root;
  if (stat(log_directory.c_str(), &root) != 0) return {Code::kIo, log_directory + ": " + strerror(errno)};
  const std::string day = day_directory(log_directory, when);
  for (size_t at = log_directory.size(); at != std::string::npos;) {
    at = day.find('/', at + 1);
    const std::string directory = day.substr(0, at);
    const mode_t mode = (at == std::string::npos ? 01777 : root.st_mode & 01777) | (root.st_mode & S_ISGID);
    if (mkdir(directory.c_str(), 0700) == 0) {
      // Not through mkdir's mode: the umask would cut it.
      if (chmod(directory.c_str(), mode) != 0) return {Code::kIo, directory + ": " + strerror(errno)};
    } else if (errno != EEXIST) {
      return {Code::kIo, directory + ": " + strerror(errno)};
    }
  }
  return {};
}

std::string default_log_path(const RunSettings& site, const LogName& name) {
  const time_t now = time(nullptr);
  const std::string program = name.program.substr(name.program.rfind('/') + 1);
  std::string stem;
  if (site.log_directory.empty()) {
    const std::string own = formatted("%Y%m%d-%H%M%S-", now) + std::to_string(getpid());
    stem = absolute_path("headrace-" + program + "-" + (name.identity.empty() ? own : name.identity));
  } else {
    (void)make_day_directory(site.log_directory, now);  // where it cannot be made, opening the log says so
    stem = day_directory(site.log_directory, now) + "/" +
           site_name({program, name.job, name.anonymous, name.identity}, now);
  }
  if (!name.identity.empty()) {
    const std::string begun = site.log_directory.empty() ? "" : log_of_launch(site.log_directory, name.identity, now);
    return begun.empty() ? stem + ".hr" : begun;
  }
  for (int number = 1;; ++number) {  // several jobs may be collected within a second
    std::string path = stem + (number == 1 ? "" : "-" + std::to_string(number)) + ".hr";
    if (access(path.c_str(), F_OK) != 0) return path;
  }
}

mode_t mode_when_complete(const RunSettings& site, const std::string& log) {
  if (site.log_directory.empty() || !log.starts_with(site.log_directory + "/")) return 0;
  return site.log_mode != 0 ? site.log_mode : kDefaultMode;
}

mode_t mode_in_progress(const RunSettings& site, const std::string& log) {
  const mode_t mode = mode_when_complete(site, log);
  return mode == 0 ? 0 : mode | 0200;
}

}  // namespace headrace::programs
