#include "programs/headrace/emulation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/random.h"
#include "capture/recorder/launch.h"
#include "programs/headrace/places.h"
#include "workload/emulation/state_file.h"

namespace headrace::programs {
namespace {

namespace emulation = workload::emulation;
using base::Code;
using base::Result;
using base::Status;

constexpr emulation::FileCalls kFileCalls = {open, posix_fallocate, close, mmap, unlink};
constexpr size_t kLongestDirectory = 1000;  // what libheadrace-emulate.so compares

/// All ranks of a launch on a node have one; others one of their own.
std::string path_of_state() {
  const capture::Launch launch = capture::launch_of_environment();
  char name[64];
  snprintf(name, sizeof name, "/headrace-emulate-%u-%016llx", static_cast<unsigned>(geteuid()),
           static_cast<unsigned long long>(launch.is_parallel() ? launch.id : base::random_number()));
  return (access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp") + std::string(name);
}

/// `path` with the links in it resolved.
Result<std::string> resolved(const std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return Status(Code::kIo, path + ": " + strerror(errno));
  std::string text = real;
  free(real);
  if (text.size() < kLongestDirectory) return text;
  return Status(Code::kInvalid, path + " has more than " + std::to_string(kLongestDirectory) + " characters");
}

/// How people may write it, if that is another way; else "".
std::string alias(const std::string& path, const std::string& real) {
  const char* logical = getenv("PWD");
  std::string text = path == "." && logical != nullptr ? logical : path;
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  const auto same = text.starts_with('/') ? resolved(text) : Result<std::string>(std::string());
  return same.ok() && *same == real && text != real ? text : "";
}

/// Beside the capture library, wherever that is; where it is another's alone, in this installation.
std::string library_of_emulation() {
  const std::string name = "/libheadrace-emulate.so", capture = library_path();
  const std::string beside = capture.substr(0, capture.rfind('/')) + name;
  return access(beside.c_str(), R_OK) == 0 ? beside : prefix() + "/lib/headrace" + name;
}

/// Once, and last.
void preload(const std::string& library) {
  const char* before = getenv("LD_PRELOAD");
  const std::string list = before != nullptr ? before : "";
  if ((":" + list + ":").find(":" + library + ":") != std::string::npos) return;
  setenv("LD_PRELOAD", (list.empty() ? library : list + ":" + library).c_str(), 1);
}

}  // namespace

std::string profiles_directory() { return prefix() + "/share/headrace/profiles"; }

Result<Emulation> Emulation::begin(const std::string& profile, const std::string& directory, bool brief) {
  Emulation made;
  auto found = emulation::find_profile(profile, profiles_directory());
  if (!found.ok()) return Status(found.code(), "--emulate: " + found.message());
  made.profile_ = std::move(*found);
  HEADRACE_ASSIGN(const std::string real, resolved(directory));
  const std::string library = library_of_emulation();
  if (access(library.c_str(), R_OK) != 0)
    return Status(Code::kIo, library + ": " + strerror(errno) + "; install Headrace again");
  if (!can_be_preloaded(library)) return Status(Code::kUnsupported, "--emulate: " + cannot_preload(library));
  made.path_ = path_of_state();
  made.state_ = emulation::join_state(made.path_.c_str(), kFileCalls);
  if (made.state_ == nullptr)
    return Status(Code::kIo, "--emulate: " + made.path_ + ": " + strerror(errno) + "; it needs room for " +
                                 std::to_string(sizeof(emulation::State) >> 10) + " KiB that processes share");
  setenv(emulation::kConstantsVariable, emulation::handed_on(made.profile_.constants).c_str(), 1);
  setenv(emulation::kDirectoryVariable, real.c_str(), 1);
  setenv(emulation::kAliasVariable, alias(directory, real).c_str(), 1);
  setenv(emulation::kStateVariable, made.path_.c_str(), 1);
  // What a driver of that file system would choose; one who has hints of their own keeps them.
  if (!made.profile_.hints.empty()) {
    HEADRACE_ASSIGN(const std::string hints, resolved(made.profile_.hints));
    setenv(emulation::kHintsVariable, hints.c_str(), 1);
    setenv("ROMIO_HINTS", hints.c_str(), 0);
  } else {
    unsetenv(emulation::kHintsVariable);
  }
  if (brief)
    setenv(emulation::kBriefVariable, "1", 1);
  else
    unsetenv(emulation::kBriefVariable);
  preload(library);
  return made;
}

std::string Emulation::counts() const { return state_ != nullptr ? emulation::counts_json(*state_) : ""; }

void Emulation::end() {
  if (state_ == nullptr) return;
  emulation::leave_state(*state_, path_.c_str(), kFileCalls);
  munmap(state_, sizeof *state_);
  state_ = nullptr;
}

}  // namespace headrace::programs
