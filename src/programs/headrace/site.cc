#include "programs/headrace/site.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "capture/harvest/small_file.h"
#include "programs/headrace/exit_status.h"
#include "programs/headrace/log_place.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/options.h"
#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr size_t kLongestTemplate = 64 << 10;
constexpr char kConfigHelp[] =
    "Usage: headrace config [OPTION]\n"
    "Prints what this installation of Headrace is used with; all of it without an\n"
    "option.\n"
    "\n"
    "      --prefix          where it is installed\n"
    "      --documents       where its pages are: docs/show.md and others\n"
    "      --preload         the capture library, for LD_PRELOAD\n"
    "      --cflags          arguments by which compilers find Headrace's headers\n"
    "      --include-dir     where those are, and what other languages include\n"
    "      --ldflags         arguments that link a program with the capture library;\n"
    "                        put them before other libraries\n"
    "      --ldflags-static  the same for programs linked with -static\n"
    "      --ldflags-forward arguments that link a program with <headrace/forward.h>\n"
    "      --log-directory   where logs go by day; nothing when they go to the\n"
    "                        directory where a command is started\n"
    "      --log-today       its directory of today\n"
    "      --file NAME       a file for the site, with the paths of this installation:\n"
    "                        module file, scripts for schedulers, … (without NAME:\n"
    "                        their names)\n"
    "      --help            show this\n"
    "\n"
    "Example:\n"
    "  cc -o simulation $(headrace config --ldflags) simulation.c -lhdf5\n"
    "  headrace config --file modulefile > /usr/share/modules/modulefiles/headrace\n";

std::string library_directory() { return library_path().substr(0, library_path().rfind('/')); }
std::string templates() { return prefix() + "/share/headrace"; }
std::string documents() { return prefix() + "/share/doc/headrace"; }
std::string include_directory() { return prefix() + "/include"; }

/// Compilers hand "-Wl,…" on by the comma, and shells split at spaces.
Result<std::string> plain_path(const std::string& directory) {
  if (directory.find_first_of(" ,:$'\"\\") == std::string::npos) return directory;
  return Status(Code::kInvalid, directory +
                                    ": a compiler cannot be told of a path with such characters; install "
                                    "Headrace where there are none");
}

Result<std::string> compile_flags() {
  HEADRACE_ASSIGN(const std::string directory, plain_path(include_directory()));
  return "-I" + directory;
}

Result<std::string> forward_link_flags() {
  HEADRACE_ASSIGN(const std::string directory, plain_path(library_directory()));
  return "-L" + directory + " -lheadrace-client -Wl,-rpath," + directory;
}

Result<RunSettings> site_settings() {
  RunSettings settings;
  std::string warning;
  HEADRACE_TRY(read_site_file("", &settings, &warning));
  if (!warning.empty()) return Status(Code::kInvalid, warning);
  return settings;
}

Result<std::string> log_directory() {
  HEADRACE_ASSIGN(const RunSettings settings, site_settings());
  return settings.log_directory;
}

Result<std::string> log_today() {
  HEADRACE_ASSIGN(const std::string directory, log_directory());
  return directory.empty() ? directory : day_directory(directory, time(nullptr));
}

/// Names of the templates, in order.
std::string names() {
  std::vector<std::string> found;
  if (DIR* stream = opendir(templates().c_str()); stream != nullptr) {
    while (const dirent* entry = readdir(stream)) {
      if (entry->d_name[0] != '.') found.emplace_back(entry->d_name);
    }
    closedir(stream);
  }
  std::sort(found.begin(), found.end());
  std::string text;
  for (const std::string& name : found) text += (text.empty() ? "" : "\n") + name;
  return text;
}

/// A template with @PREFIX@ and @VERSION@ filled in.
Result<std::string> filled(const std::string& name) {
  const std::string path = templates() + "/" + name;
  std::string text =
      name.find('/') == std::string::npos ? capture::read_small_file(path.c_str(), kLongestTemplate) : "";
  if (text.empty()) return Status(Code::kInvalid, "there is no file " + name + "; there are:\n" + names());
  const std::pair<std::string, std::string> values[] = {{"@PREFIX@", prefix()}, {"@VERSION@", HEADRACE_VERSION}};
  for (const auto& [mark, value] : values) {
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size()) {
      text.replace(at, mark.size(), value);
    }
  }
  text.pop_back();  // the last newline, which is added to all that is printed
  return text;
}

/// For LD_PRELOAD.
Result<std::string> preload() {
  const std::string library = library_path();
  if (can_be_preloaded(library)) return library;
  return Status(Code::kInvalid, cannot_preload(library));
}

std::string everything() {
  const auto or_reason = [](const Result<std::string>& value) {
    return value.ok() ? *value : "none: " + value.message();
  };
  const std::string configuration = site_configuration();
  const bool there = access(configuration.c_str(), F_OK) == 0;
  const auto logs = log_directory();
  return "prefix:         " + prefix() + "\ndocuments:      " + documents() +
         "\npreload:        " + or_reason(preload()) + "\ninclude-dir:    " + include_directory() +
         "\nldflags:        " + or_reason(link_flags()) + "\nldflags-static: " + or_reason(static_link_flags()) +
         "\nconfiguration:  " + configuration + (there ? "" : " (not there)") + "\nlog-directory:  " +
         (logs.ok() && logs->empty() ? "none: logs go to the directory where a command is started" : or_reason(logs));
}

Result<std::string> answer(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return everything();
  const std::string& what = arguments[0];
  if (what == "--file" && arguments.size() <= 2) return arguments.size() == 2 ? filled(arguments[1]) : names();
  if (arguments.size() > 1) return Status(Code::kInvalid, "one option at a time; see `headrace config --help`");
  if (what == "--help" || what == "-h") return std::string(kConfigHelp, sizeof kConfigHelp - 2);
  if (what == "--prefix") return prefix();
  if (what == "--documents") return documents();
  if (what == "--preload") return preload();
  if (what == "--cflags") return compile_flags();
  if (what == "--include-dir") return include_directory();
  if (what == "--ldflags") return link_flags();
  if (what == "--ldflags-static") return static_link_flags();
  if (what == "--ldflags-forward") return forward_link_flags();
  if (what == "--log-directory") return log_directory();
  if (what == "--log-today") return log_today();
  return Status(Code::kInvalid, "unknown option " + what + "; see `headrace config --help`");
}

}  // namespace

Result<std::string> link_flags() {
  HEADRACE_ASSIGN(const std::string directory, plain_path(library_directory()));
  // It has to stay although no symbol of the program needs it, and to come before the C library. In link/ there is its
  // name without its functions (programs/preload/CMakeLists.txt).
  return "-Wl,--push-state,--no-as-needed -L" + directory + "/link -lheadrace -Wl,--pop-state -Wl,-rpath," + directory;
}

Result<std::string> static_link_flags() {
  HEADRACE_ASSIGN(const std::string directory, plain_path(library_directory()));
  const std::string object = directory + "/headrace-static.o";
  if (access(object.c_str(), R_OK) != 0) {
    return Status(Code::kNotFound, object + ": " + strerror(errno) +
                                       "; static programs need a Headrace that was built where the C library "
                                       "has an archive (libc.a)");
  }
  return object + " -Wl,@" + directory + "/static.options";
}

int config(const std::vector<std::string>& arguments) {
  const auto text = answer(arguments);
  if (!text.ok()) {
    say(text.message());
    return kMistake;
  }
  const std::string line = text->empty() ? "" : *text + "\n";
  return write(STDOUT_FILENO, line.data(), line.size()) < 0 ? kMistake : 0;
}

}  // namespace headrace::programs
