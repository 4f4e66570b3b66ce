#include "programs/headrace/bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <charconv>

#include "base/result.h"
#include "programs/headrace/child.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Result;
using base::Status;

/// The last value of an option; "" = it is not there.
std::string value_of(const std::vector<std::string>& words, const std::string& option) {
  std::string found;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option && i + 1 < words.size()) found = words[i + 1];
    if (words[i].starts_with(option + "=")) found = words[i].substr(option.size() + 1);
  }
  return found;
}

/// "200us", "1.5ms" would be 1500us: whole numbers with ns, us, ms or s.
Result<uint64_t> read_delay(const std::string& text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  const uint64_t factor = unit == "ns"   ? 1
                          : unit == "us" ? 1'000
                          : unit == "ms" ? 1'000'000
                          : unit == "s"  ? 1'000'000'000
                                         : 0;
  constexpr uint64_t kMost = 60'000'000'000;
  if (error != std::errc() || factor == 0 || number > kMost / factor)
    return Status(Code::kInvalid, "--emulate: '" + text + "' is no time up to 60s, such as 200us or 5ms");
  return number * factor;
}

/// Lets the files of `directory` be slow for what this becomes.
Status emulate(const std::string& delay, const std::string& directory) {
  HEADRACE_ASSIGN(const uint64_t nanoseconds, read_delay(delay));
  char* real = realpath(directory.c_str(), nullptr);
  if (real == nullptr) return {Code::kIo, "--dir: " + directory + ": " + strerror(errno)};
  setenv("HEADRACE_EMULATE", std::to_string(nanoseconds).c_str(), 1);
  setenv("HEADRACE_EMULATE_DIR", real, 1);
  free(real);
  const std::string library = prefix() + "/lib/headrace/libheadrace-emulate.so";
  if (access(library.c_str(), R_OK) != 0)
    return {Code::kIo, library + ": " + strerror(errno) + "; install Headrace again"};
  const char* before = getenv("LD_PRELOAD");  // a capture is outside, so that it sees the delays
  const bool any = before != nullptr && before[0] != '\0';
  setenv("LD_PRELOAD", (any ? before + (":" + library) : library).c_str(), 1);
  return {};
}

}  // namespace

int bench(const std::vector<std::string>& arguments) {
  constexpr int kUsage = 2, kFailed = 3;
  const std::string delay = value_of(arguments, "--emulate"), directory = value_of(arguments, "--dir");
  if (!delay.empty()) {
    if (const Status status = emulate(delay, directory.empty() ? "." : directory); !status.ok()) {
      say("bench: " + status.message());
      return status.code() == Code::kInvalid ? kUsage : kFailed;
    }
  }
  const std::string program = prefix() + "/lib/headrace/headrace-bench";
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  say("bench: " + become_program(program, words, plain_environment()).message() + "; install Headrace again");
  return 127;
}

}  // namespace headrace::programs
