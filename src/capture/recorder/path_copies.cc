#include "capture/recorder/path_copies.h"

#include <string.h>

#include "base/kernel.h"
#include "capture/recorder/readable.h"

namespace headrace::capture {
namespace {

struct Paths {
  char of[2][4096];
};

/// A part at a time: most paths end in the first one.
bool copy_path(uint64_t from, char* to) {
  constexpr size_t kPart = 256;
  for (size_t done = 0; done < sizeof Paths{}.of[0]; done += kPart) {
    const size_t got = copy_of_program(from + done, to + done, kPart);
    if (memchr(to + done, '\0', got)) return true;
    if (got < kPart) return false;
  }
  return false;
}

}  // namespace

uint64_t copy_paths(uint64_t first, uint64_t second) {
  auto* made = static_cast<Paths*>(base::map_anonymous(sizeof(Paths)));
  if (!made) return 0;
  const auto copy = reinterpret_cast<uint64_t>(made);
  if (first != 0 && copy_path(first, made->of[0]) && (second == 0 || copy_path(second, made->of[1]))) return copy;
  forget_paths(copy);
  return 0;
}

const char* first_path(uint64_t copy) { return copy ? reinterpret_cast<const Paths*>(copy)->of[0] : nullptr; }
const char* second_path(uint64_t copy) { return copy ? reinterpret_cast<const Paths*>(copy)->of[1] : nullptr; }

void forget_paths(uint64_t copy) {
  if (copy) base::unmap(reinterpret_cast<void*>(copy), sizeof(Paths));
}

}  // namespace headrace::capture
