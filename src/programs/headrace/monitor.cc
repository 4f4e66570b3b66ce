#include "programs/headrace/monitor.h"

#include <algorithm>
#include <array>

#include "programs/headrace/child.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/places.h"

namespace headrace::programs {

bool monitor_is_of_samples(const std::vector<std::string>& arguments) {
  constexpr std::array kParts = {"show", "import", "export"};  // as PARTS of python/headrace/commands/monitor.py
  return !arguments.empty() && std::find(kParts.begin(), kParts.end(), arguments[0]) != kParts.end();
}

int monitor(const std::vector<std::string>& arguments) {
  const std::string program = prefix() + "/lib/headrace/headrace-monitor";
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string why = become_program(program, words, plain_environment()).message();
  say("monitor: " + why + "; install Headrace again");
  return 127;
}

}  // namespace headrace::programs
