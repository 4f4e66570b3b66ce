// Phases that end as their scopes do: by their end, by return, by exceptions; names that do not stay.
#include <dlfcn.h>
#include <headrace/phases.h>

#include <stdexcept>
#include <string>

namespace {

int returns(int value) {
  headrace::Phase phase("returns");
  if (value > 0) return value;
  return 0;
}

void throws() {
  headrace::Phase phase("outer");
  headrace_phase_begin("left open");
  throw std::runtime_error("thrown");
}

}  // namespace

int main() {
  returns(1);
  try {
    throws();
  } catch (const std::exception&) {
    headrace_phase_begin("caught");
    headrace_phase_end("caught");
  }
  {
    headrace::Phase phase((std::string("dump ") + "17").c_str());
    headrace::Phase none(NULL);
    headrace::Phase cut(std::string(300, 'x').c_str());
  }
  return dlsym(RTLD_DEFAULT, "puts") == NULL;
}
