#include "programs/headrace/bench.h"

#include "programs/headrace/child.h"
#include "programs/headrace/emulation.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

using base::Code;

/// The last value of an option; "" = it is not there.
std::string value_of(const std::vector<std::string>& words, const std::string& option) {
  std::string found;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == option && i + 1 < words.size()) found = words[i + 1];
    if (words[i].starts_with(option + "=")) found = words[i].substr(option.size() + 1);
  }
  return found;
}

}  // namespace

int bench(const std::vector<std::string>& arguments) {
  constexpr int kUsage = 2, kFailed = 3;
  const std::string profile = value_of(arguments, "--emulate"), directory = value_of(arguments, "--dir");
  Emulation emulation;
  if (!profile.empty()) {
    auto begun = Emulation::begin(profile, directory.empty() ? "." : directory, true);
    if (!begun.ok()) {
      say("bench: " + begun.message());
      return begun.code() == Code::kInvalid ? kUsage : kFailed;
    }
    emulation = std::move(*begun);
  }
  const std::string program = prefix() + "/lib/headrace/headrace-bench";
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string why = become_program(program, words, plain_environment()).message();
  emulation.end();
  say("bench: " + why + "; install Headrace again");
  return 127;
}

}  // namespace headrace::programs
