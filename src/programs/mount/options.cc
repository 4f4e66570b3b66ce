#include "programs/mount/options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <functional>
#include <map>

#include "programs/mount/mountpoint.h"

namespace headrace::programs {

using base::Code;
using base::Result;
using base::Status;

const char kMountHelp[] =
    "Usage: headrace mount [OPTION]... DIRECTORY@ADDRESS[,ADDRESS...] MOUNTPOINT\n"
    "       headrace mount --unmount MOUNTPOINT\n"
    "Shows what is below DIRECTORY at forwarding servers below MOUNTPOINT, an empty\n"
    "directory here, to all programs of this user: also to those that `headrace run\n"
    "--forward` cannot reach, static ones and those written in Go. Returns when it\n"
    "can be used. MOUNTPOINT=DIRECTORY@ADDRESS is the same, as with --forward.\n"
    "\n"
    "      --unmount DIR     store all, take the mount away, and say what is lost;\n"
    "                        `fusermount3 -u DIR` does without the last\n"
    "      --foreground      stay, until it is unmounted or SIGTERM or SIGINT comes\n"
    "      --forward-secret FILE\n"
    "                        the job's secret, for servers on other nodes\n"
    "      --forward-timeout SECONDS\n"
    "                        calls that no server answers so long fail with EIO\n"
    "                        (default: 60)\n"
    "      --log FILE        in the background, append messages there; otherwise\n"
    "                        they go to the system's log\n"
    "      --help            show this\n"
    "\n"
    "Needs /dev/fuse and, but for root, fusermount3.\n"
    "\n"
    "Example:\n"
    "  headrace serve --root /scratch/run7 --listen unix:/tmp/run7.sock &\n"
    "  headrace mount /scratch/run7@unix:/tmp/run7.sock ~/run7\n"
    "  ./static-program --output ~/run7/out\n"
    "  headrace mount --unmount ~/run7\n";

namespace {

Status set_timeout(const std::string& value, MountSettings* settings) {
  char* end = nullptr;
  const unsigned long seconds = strtoul(value.c_str(), &end, 10);
  if (value.empty() || *end != '\0' || seconds < 1 || seconds > 86400)
    return base::invalid("--forward-timeout " + value + ": is not a number of seconds from 1 to 86400");
  settings->setup.timeout_seconds = static_cast<uint32_t>(seconds);
  return {};
}

/// In the background the working directory is another one.
Status set_secret(const std::string& value, MountSettings* settings) {
  char directory[PATH_MAX];
  const bool relative = !value.starts_with('/') && getcwd(directory, sizeof directory) != nullptr;
  settings->setup.secret = relative ? std::string(directory) + "/" + value : value;
  return {};
}

Status finish(const std::vector<std::string>& words, MountSettings* settings) {
  if (!settings->unmount.empty()) return words.empty() ? Status() : base::invalid("--unmount takes one directory");
  if (words.empty() || words.size() > 2) return base::invalid("what to mount, and where, is needed");
  const std::string& text = words[0];
  auto spec = forward::program::parse_spec(text);
  if (!spec.ok()) {
    std::string why = spec.message();
    if (why.starts_with("--forward ")) why.erase(0, strlen("--forward "));
    return base::invalid(why);
  }
  settings->spec = *spec;
  const bool has_prefix = text.substr(0, text.find('@')).find('=') != text.npos;
  if (has_prefix == (words.size() == 2))
    return base::invalid(has_prefix
                             ? "both " + words[1] + " and " + spec->prefix + " are named as the mountpoint: give one"
                             : "the directory to mount it at is needed");
  HEADRACE_ASSIGN(settings->mountpoint, find_mountpoint(has_prefix ? spec->prefix : words[1]));
  return {};
}

}  // namespace

Result<MountSettings> parse_mount(const std::vector<std::string>& arguments) {
  MountSettings settings;
  const std::map<std::string, std::function<Status(const std::string&)>> with_value = {
      {"--forward-secret", [&](const std::string& value) { return set_secret(value, &settings); }},
      {"--forward-timeout", [&](const std::string& value) { return set_timeout(value, &settings); }},
      {"--log", [&](const std::string& value) { return settings.log = value, Status(); }},
      {"--unmount", [&](const std::string& value) { return settings.unmount = value, Status(); }},
  };
  std::vector<std::string> words;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--help" || word == "-h") return Status(Code::kNotFound, "");
    if (word == "--foreground" || word == "-f") {
      settings.foreground = true;
      continue;
    }
    const size_t equals = word.find('=');
    const auto option = with_value.find(word.substr(0, equals));
    if (option == with_value.end()) {
      if (word.starts_with('-')) return base::invalid("unknown option " + word);
      words.push_back(word);
    } else if (equals == word.npos && i + 1 == arguments.size()) {
      return base::invalid(word + " needs a value");
    } else {
      HEADRACE_TRY(option->second(equals == word.npos ? arguments[++i] : word.substr(equals + 1)));
    }
  }
  HEADRACE_TRY(finish(words, &settings));
  return settings;
}

}  // namespace headrace::programs
