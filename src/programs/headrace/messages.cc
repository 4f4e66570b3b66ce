#include "programs/headrace/messages.h"

#include <unistd.h>

namespace headrace::programs {

void say(const std::string& text) {
  const std::string line = "headrace: " + text + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace headrace::programs
