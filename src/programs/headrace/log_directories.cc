#include "programs/headrace/log_directories.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <charconv>

#include "programs/headrace/exit_status.h"
#include "programs/headrace/log_place.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/options.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr int kMostDays = 10 * 366;
constexpr char kLogDirectoriesHelp[] =
    "Usage: headrace make-log-directories [OPTION]... [DIR]\n"
    "Makes the directories that logs of the coming days go to, DIR/YEAR/MONTH/DAY:\n"
    "each day with mode 1777, so that everybody can add logs and nobody can remove\n"
    "another's. What is there is left as it is; run it as often as you like.\n"
    "\n"
    "  DIR           the log directory; made with mode 0755 if it is missing\n"
    "                (default: log_directory of the site's configuration)\n"
    "      --days N  today and the N-1 days after it (default: 366)\n"
    "      --help    show this\n"
    "\n"
    "Whoever runs it owns the directories and can remove what is in them: run it as\n"
    "root or as the user that keeps the logs. A set-group-id bit of DIR goes on to\n"
    "all directories, and its group to all logs.\n"
    "\n"
    "Example:\n"
    "  headrace make-log-directories --days 31 /var/log/headrace\n";

struct Request {
  std::string directory;
  int days = 366;
};

Result<Request> parse(const std::vector<std::string>& arguments) {
  Request request;
  const auto set_days = [&](const std::string& text) -> Status {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), request.days);
    const bool good = error == std::errc() && end == text.data() + text.size() && request.days >= 1;
    if (good && request.days <= kMostDays) return {};
    return {Code::kInvalid, "--days " + text + ": give a number from 1 to " + std::to_string(kMostDays)};
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--help" || word == "-h") return Status(Code::kNotFound, "help");
    if (word.starts_with("--days=")) {
      HEADRACE_TRY(set_days(word.substr(7)));
    } else if (word == "--days") {
      if (++i == arguments.size()) return Status(Code::kInvalid, "--days needs a value");
      HEADRACE_TRY(set_days(arguments[i]));
    } else if (word.size() > 1 && word[0] == '-') {
      return Status(Code::kInvalid, "unknown option " + word + "; see `headrace make-log-directories --help`");
    } else if (!request.directory.empty()) {
      return Status(Code::kInvalid, "one log directory at a time, not " + request.directory + " and " + word);
    } else {
      request.directory = word;
    }
  }
  if (!request.directory.empty()) return request;
  RunSettings settings;
  std::string warning;
  settings.user_configuration = false;
  HEADRACE_TRY(read_site_file("", &settings, &warning));
  if (!warning.empty()) return Status(Code::kInvalid, warning);
  if (settings.log_directory.empty()) {
    return Status(Code::kInvalid,
                  "no log directory is configured; give one, or set log_directory in " + site_configuration());
  }
  request.directory = settings.log_directory;
  return request;
}

Status make_all(const Request& request) {
  if (mkdir(request.directory.c_str(), 0755) == 0) chmod(request.directory.c_str(), 0755);
  const time_t now = time(nullptr);
  tm day{};
  localtime_r(&now, &day);
  day.tm_hour = 12;  // so that no change of summer time skips or doubles a day
  for (int i = 0; i < request.days; ++i, ++day.tm_mday) {
    day.tm_isdst = -1;
    HEADRACE_TRY(make_day_directory(request.directory, mktime(&day)));
  }
  return {};
}

}  // namespace

int make_log_directories(const std::vector<std::string>& arguments) {
  auto request = parse(arguments);
  if (!request.ok() && request.code() == Code::kNotFound && request.message() == "help") {
    return write(STDOUT_FILENO, kLogDirectoriesHelp, strlen(kLogDirectoriesHelp)) < 0 ? kMistake : 0;
  }
  if (!request.ok()) {
    say(request.message());
    return kMistake;
  }
  while (request->directory.size() > 1 && request->directory.back() == '/') request->directory.pop_back();
  const Status made = make_all(*request);
  if (!made.ok()) say(made.message());
  return made.ok() ? 0 : 1;
}

}  // namespace headrace::programs
