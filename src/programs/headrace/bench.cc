#include "programs/headrace/bench.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "programs/headrace/messages.h"
#include "programs/headrace/places.h"

namespace headrace::programs {

int bench(const std::vector<std::string>& arguments) {
  const std::string program = prefix() + "/lib/headrace/headrace-bench";
  std::vector<char*> list = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) list.push_back(const_cast<char*>(argument.c_str()));
  list.push_back(nullptr);
  execv(program.c_str(), list.data());
  say("bench: " + program + ": " + strerror(errno) + "; install Headrace again");
  return 127;
}

}  // namespace headrace::programs
