// Regions as long as blocks of C++.
#include <headrace/trace.h>

#include <stdexcept>

static void solve(int level) {
  HEADRACE_REGION("solve");
  HEADRACE_REGION("second of this block");
  if (level == 0) throw std::runtime_error("too deep");
  solve(level - 1);
}

int main() {
  headrace::Region outer("outer");
  try {
    solve(2);
  } catch (const std::runtime_error&) {
    headrace_counter("caught", 1);
  }
  return 0;
}
