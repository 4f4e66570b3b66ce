#include "programs/headrace/places.h"

#include <stdlib.h>
#include <unistd.h>

namespace headrace::programs {

std::string own_directory() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0 || length == static_cast<ssize_t>(sizeof path)) return "";
  const std::string text(path, static_cast<size_t>(length));
  return text.substr(0, text.rfind('/'));
}

std::string prefix() {
  const std::string directory = own_directory();
  return directory.substr(0, directory.rfind('/'));
}

std::string library_path() {
  const char* variable = getenv("HEADRACE_LIBRARY");
  if (variable != nullptr && *variable != '\0') return absolute_path(variable);
  // The path is put into LD_PRELOAD, and shown by tools that list libraries: without "..", it reads better.
  return prefix() + "/lib/headrace/libheadrace.so";
}

bool can_be_preloaded(const std::string& path) { return path.find_first_of(": ") == std::string::npos; }

std::string cannot_preload(const std::string& path) {
  const std::string library = library_path(), directory = library.substr(0, library.rfind('/'));
  return path + ": the loader cannot preload a path with spaces or colons; make a link, ln -s '" + directory +
         "' LINK, at a place without them that all nodes see, and set HEADRACE_LIBRARY=LINK/libheadrace.so";
}

std::string absolute_path(const std::string& path) {
  char directory[4096];
  if (path.empty() || path[0] == '/' || getcwd(directory, sizeof directory) == nullptr) return path;
  return std::string(directory) + "/" + path;
}

std::vector<std::string> spool_places(const std::string& preferred) {
  std::vector<std::string> list;
  const char* temporary = getenv("TMPDIR");
  if (!preferred.empty()) list.push_back(preferred);
  list.emplace_back("/dev/shm");
  if (temporary != nullptr && temporary[0] == '/') list.emplace_back(temporary);
  list.emplace_back("/tmp");
  list.emplace_back("/var/tmp");
  return list;
}

std::vector<std::string> fallback_directories() {
  std::vector<std::string> list;
  const char* temporary = getenv("TMPDIR");
  if (temporary != nullptr && temporary[0] == '/') list.push_back(temporary);
  for (const char* each : {"/tmp", "/var/tmp", "/dev/shm"}) list.emplace_back(each);
  return list;
}

}  // namespace headrace::programs
