#include "events/call_filter.h"

#include "base/pattern.h"

namespace headrace::events {

namespace {

bool matches_any(const std::vector<std::string>& patterns, const std::string& text) {
  for (const std::string& pattern : patterns)
    if (base::matches_pattern(pattern.c_str(), text.c_str())) return true;
  return false;
}

bool matches_path(const std::vector<std::string>& patterns, const std::string& path) {
  const size_t slash = path.rfind('/');
  const char* name = slash == std::string::npos ? path.c_str() : path.c_str() + slash + 1;
  for (const std::string& pattern : patterns) {
    const bool whole = pattern.find('/') != std::string::npos;
    if (base::matches_pattern(pattern.c_str(), path.c_str())) return true;
    if (!whole && base::matches_pattern(pattern.c_str(), name)) return true;
  }
  return false;
}

/// Datasets and variables are FILE:NAME, and both may have colons.
bool matches_container(const std::vector<std::string>& patterns, const std::string& path) {
  for (size_t colon = path.find(':'); colon != std::string::npos; colon = path.find(':', colon + 1))
    if (matches_path(patterns, path.substr(0, colon))) return true;
  return matches_path(patterns, path);
}

}  // namespace

bool CallFilter::has(uint32_t reference, uint64_t process, uint32_t handle, bool failed) {
  if (choice_.errors && !failed) return false;
  return is_of_function(reference) && is_on_file(reference, process, handle);
}

bool CallFilter::is_of_function(uint32_t reference) {
  if (choice_.functions.empty()) return true;
  if (reference >= functions_.size()) functions_.resize(trace_.references().size(), kNotYet);
  Known& known = functions_[reference];
  if (known == kNotYet) known = matches_any(choice_.functions, trace_.references()[reference].name) ? kYes : kNo;
  return known == kYes;
}

bool CallFilter::is_on_file(uint32_t reference, uint64_t process, uint32_t handle) {
  if (choice_.files.empty()) return true;
  const std::string& layer = trace_.references()[reference].layer;
  const bool inside = layer == "hdf5" || layer == "pnetcdf";
  const auto [place, added] = (inside ? containers_ : files_).try_emplace({process, handle}, false);
  if (added) {
    const std::string path(trace_.handle(process, handle));
    place->second = !path.empty() && (inside ? matches_container : matches_path)(choice_.files, path);
  }
  return place->second;
}

}  // namespace headrace::events
