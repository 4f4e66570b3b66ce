#include "forward/backend/path.h"

#include <sys/stat.h>

#include "forward/backend/backend.h"

namespace headrace::forward {

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (!part.empty() && part != ".") parts.push_back(part);
    path = slash == path.npos ? "" : path.substr(slash + 1);
  }
  return parts;
}

std::string join_path(std::string_view directory, std::string_view path) {
  std::string joined(directory);
  for (const std::string_view part : parts_of(path)) {
    if (!joined.empty()) joined += '/';
    joined += part;
  }
  return joined;
}

uint32_t type_to_create(uint32_t mode) {
  const uint32_t type = mode & S_IFMT;
  if (type == 0) return S_IFREG;
  return type == S_IFREG || type == S_IFIFO || type == S_IFSOCK ? type : 0;
}

bool below(std::string_view path, std::string_view root, std::string_view* rest) {
  if (!path.starts_with(root)) return false;
  path.remove_prefix(root.size());
  if (!root.ends_with('/') && !path.empty() && path[0] != '/') return false;
  while (path.starts_with('/')) path.remove_prefix(1);
  *rest = path;
  return true;
}

}  // namespace headrace::forward
