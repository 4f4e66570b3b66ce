#include "programs/headrace/scan.h"

#include <algorithm>
#include <array>

#include "programs/headrace/child.h"
#include "programs/headrace/messages.h"
#include "programs/headrace/places.h"

namespace headrace::programs {

bool scan_is_of_files(const std::vector<std::string>& arguments) {
  // As PARTS of python/headrace/commands/scan.py; a directory of such a name is ./show.
  constexpr std::array kParts = {"show", "csv", "merge", "diff", "rules", "parquet"};
  return !arguments.empty() && std::find(kParts.begin(), kParts.end(), arguments[0]) != kParts.end();
}

int scan(const std::vector<std::string>& arguments) {
  const std::string program = prefix() + "/lib/headrace/headrace-scan";
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::string why = become_program(program, words, plain_environment()).message();
  say("scan: " + why + "; install Headrace again");
  return 127;
}

}  // namespace headrace::programs
