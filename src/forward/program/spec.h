// What `headrace run --forward` is given: which paths go to which servers.
//
//   [PREFIX=]DIRECTORY@ADDRESS[,ADDRESS...]
//
// Paths below PREFIX are those below DIRECTORY at the servers; without PREFIX programs name them as the servers do.
// Allocates; not for hooks' hot paths. Thread-safe.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"

namespace headrace::forward::program {

inline constexpr char kVariable[] = "HEADRACE_FORWARD";         // hands a Setup to the processes of a run
inline constexpr char kServersVariable[] = "HEADRACE_SERVERS";  // the same, for programs that look for it themselves
inline constexpr uint32_t kTimeoutSeconds = 60;                 // of a call, unless something else is asked for

struct Spec {
  std::string prefix, directory;  // absolute, without "/" at the end
  std::vector<std::string> addresses;
};

struct Setup {
  std::vector<Spec> specs;
  std::string secret;  // path of the job's secret, "" = none
  uint32_t timeout_seconds = kTimeoutSeconds;
};

/// kInvalid: with the text and what is wrong with it.
base::Result<Spec> parse_spec(const std::string& text);

/// As the value of a variable, and back.
std::string to_text(const Setup& setup);
base::Result<Setup> from_text(const std::string& text);

/// `path` without empty parts, "." and "..", which are taken off by name alone; "/" at the end stays. `path` is
/// absolute.
std::string plain_path(std::string_view path);

}  // namespace headrace::forward::program
