#include "programs/headrace/python_functions.h"

#include "programs/headrace/places.h"

namespace headrace::programs {
namespace {

/// Removes the variable; its value, "" where it was not set.
std::string take(const std::string& name, std::vector<std::string>* environment) {
  std::string value;
  std::erase_if(*environment, [&](const std::string& entry) {
    const bool found = entry.starts_with(name + "=");
    if (found) value = entry.substr(name.size() + 1);
    return found;
  });
  return value;
}

}  // namespace

void record_python_functions(const std::string& chosen, std::vector<std::string>* environment) {
  if (chosen.empty()) return;
  const std::string folder = prefix() + "/share/headrace/python";
  const std::string list = take("PYTHONPATH", environment);
  const bool there = list == folder || list.starts_with(folder + ":");  // of a launcher around this one
  environment->push_back("PYTHONPATH=" + (there ? list : list.empty() ? folder : folder + ":" + list));
  take("HEADRACE_TRACE_PYTHON", environment);
  environment->push_back("HEADRACE_TRACE_PYTHON=" + chosen);
}

}  // namespace headrace::programs
