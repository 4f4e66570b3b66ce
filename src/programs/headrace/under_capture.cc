#include "programs/headrace/under_capture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/clock.h"
#include "capture/recorder/job_variables.h"
#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

/// As recorders leave notes of programs that cannot be captured.
void leave_note(const std::string& directory) {
  char name[128];
  snprintf(name, sizeof name, "/%u.%llx.static.note", static_cast<unsigned>(getpid()),
           static_cast<unsigned long long>(base::clock_ns(CLOCK_BOOTTIME)));
  const int note = open((directory + name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (note < 0) return;
  const std::string program = own_directory() + "/headrace";
  [[maybe_unused]] const ssize_t written = write(note, program.data(), program.size());
  close(note);
}

/// The list of libraries without those of captures. Files stay slow where somebody wants them to be.
std::string without_capture(const std::string& list) {
  std::string kept;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find_first_of(": ", at), list.size());
    const std::string library = list.substr(at, end - at);
    const std::string name = library.substr(library.rfind('/') + 1);
    if (!library.empty() && (!name.starts_with("libheadrace") || name == "libheadrace-emulate.so"))
      kept += (kept.empty() ? "" : ":") + library;
    at = end + 1;
  }
  return kept;
}

}  // namespace

bool ends_forwarding(const std::vector<std::string>& words) {
  const char* forwarded = getenv(capture::kForwardVariable);
  if (forwarded == nullptr || forwarded[0] == '\0') return false;
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::none_of(words.begin(), end, [](const std::string& word) { return word.starts_with("--forward"); });
}

void leave_capture() {
  const char* preload = getenv("LD_PRELOAD");
  if (preload == nullptr || std::string(preload).find("libheadrace") == std::string::npos) return;
  const std::string kept = without_capture(preload);
  if (const char* directory = getenv(capture::kJobVariables[0]); directory != nullptr && directory[0] == '/')
    leave_note(directory);
  if (kept.empty())
    unsetenv("LD_PRELOAD");
  else
    setenv("LD_PRELOAD", kept.c_str(), 1);
  for (const char* variable : capture::kJobVariables) unsetenv(variable);
}

}  // namespace headrace::programs
