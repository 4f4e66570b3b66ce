#include "programs/headrace/mount.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "programs/headrace/messages.h"
#include "programs/headrace/places.h"

namespace headrace::programs {

int mount_servers(const std::vector<std::string>& arguments) {
  const std::string program = prefix() + "/lib/headrace/headrace-mount";
  std::vector<char*> list = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) list.push_back(const_cast<char*>(argument.c_str()));
  list.push_back(nullptr);
  execv(program.c_str(), list.data());
  const int why = errno;
  say("mount: " + program + ": " + strerror(why) +
      (why == ENOENT ? "; it is left out where libfuse3 was not found: install it (Debian: libfuse3-dev and fuse3) and "
                       "build Headrace again"
                     : ""));
  return 127;
}

}  // namespace headrace::programs
