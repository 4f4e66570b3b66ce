// Calls that make, move and remove entries of directories.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "base/program_path.h"
#include "forward/program/at_place.h"
#include "forward/program/attributes.h"
#include "forward/program/operations.h"
#include "forward/program/table.h"

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1
#endif

namespace headrace::forward::program {
namespace {

/// Two paths in one call: both below one prefix, or EXDEV, as for two file systems.
template <typename Act>
bool at_places(const std::optional<Place>& from, const std::optional<Place>& to, int* result, Act act) {
  if (!from.has_value() && !to.has_value()) return false;
  if (!from.has_value() || !to.has_value() || from->prefix != to->prefix) {
    *result = fail(EXDEV);
    return true;
  }
  return at_place(from, result, act);
}

/// An absolute path below `from`, with `to` in its place; others as they are. Links have the servers' names in them, so
/// that they lead to the same for whoever does not forward.
std::string moved(std::string_view path, const std::string& from, const std::string& to) {
  const bool below = path.starts_with(from) && (path.size() == from.size() || path[from.size()] == '/');
  return below ? to + std::string(path.substr(from.size())) : std::string(path);
}

/// The links by which a process finds its descriptors and its program: as if the kernel knew what they are.
bool readlink_of_process(const char* path, char* into, size_t size, ssize_t* result) {
  if (path == nullptr || size == 0) return false;
  std::string seen;
  const std::string_view asked = path;
  bool is_copy = false;
  if (asked == "/proc/self/exe") {
    seen.resize(PATH_MAX);
    seen.resize(base::program_path(seen.data(), seen.size(), &is_copy));
    if (!is_copy) return false;
  } else if (asked.starts_with("/proc/") || asked.starts_with("/dev/fd/")) {
    seen = path_behind_link(plain_path(path), true);
  }
  if (seen.empty()) return false;
  *result = static_cast<ssize_t>(std::min(size, seen.size()));
  memcpy(into, seen.data(), static_cast<size_t>(*result));
  return true;
}

/// What a link at the servers says, as the program names it. An error number.
int read_target(Client& client, const Servers& servers, const Handle& link, char* into, size_t size, size_t* bytes) {
  if (size == 0) return EINVAL;
  const auto target = client.readlink(link);
  if (!target.ok()) return target.error();
  const std::string seen = moved(*target, servers.directory(), servers.prefix());
  *bytes = std::min(size, seen.size());
  memcpy(into, seen.data(), *bytes);
  return 0;
}

/// readlinkat() of a link's own descriptor, which is open with O_PATH and O_NOFOLLOW.
bool readlink_of_descriptor(int fd, char* into, size_t size, ssize_t* result) {
  const Held file(fd);
  if (!file) return false;
  Servers& servers = servers_of(file->prefix());
  size_t bytes = 0;
  int error = ENOENT;
  if (file->is_link()) {
    Client* client = servers.client();
    error = client == nullptr ? EIO : servers.error(read_target(*client, servers, file->handle(), into, size, &bytes));
  }
  *result = error == 0 ? static_cast<ssize_t>(bytes) : fail<ssize_t>(error);
  return true;
}

}  // namespace

bool readlink_path(int directory, const char* path, char* into, size_t size, ssize_t* result) {
  if (path != nullptr && *path == '\0') return readlink_of_descriptor(directory, into, size, result);
  if (readlink_of_process(path, into, size, result)) return true;
  const auto place = place_of(directory, path);
  size_t bytes = 0;
  const bool ours = at_place(place, result, [&](Client& client) {
    const auto node = client.lookup(place->servers->root(), place->below_root(), false);
    if (!node.ok()) return node.error();
    if (!S_ISLNK(node->attributes.mode)) return EINVAL;
    return read_target(client, *place->servers, node->handle, into, size, &bytes);
  });
  if (ours && *result == 0) *result = static_cast<ssize_t>(bytes);
  return ours;
}

bool unlink_path(int directory, const char* path, int flags, int* result) {
  const auto place = place_of(directory, path);
  return at_place(place, result, [&](Client& client) {
    if (place->rest.empty()) return EBUSY;
    return client.remove(place->servers->root(), place->below_root(), flags & AT_REMOVEDIR);
  });
}

bool remove_path(const char* path, int* result) {
  const auto place = place_of(AT_FDCWD, path);
  return at_place(place, result, [&](Client& client) {
    if (place->rest.empty()) return EBUSY;
    const int error = client.remove(place->servers->root(), place->below_root(), false);
    return error == EISDIR ? client.remove(place->servers->root(), place->below_root(), true) : error;
  });
}

bool rename_path(int from_directory, const char* from, int to_directory, const char* to, unsigned flags, int* result) {
  const auto source = place_of(from_directory, from), target = place_of(to_directory, to);
  return at_places(source, target, result, [&](Client& client) {
    if (flags & ~static_cast<unsigned>(RENAME_NOREPLACE)) return EINVAL;
    if (source->rest.empty() || target->rest.empty()) return EBUSY;
    const Handle& root = source->servers->root();
    return client.rename(root, source->below_root(), root, target->below_root(), !(flags & RENAME_NOREPLACE));
  });
}

bool link_path(int from_directory, const char* from, int to_directory, const char* to, int flags, int* result) {
  const auto source = place_of(from_directory, from), target = place_of(to_directory, to);
  return at_places(source, target, result, [&](Client& client) {
    const Handle& root = source->servers->root();
    const auto node = client.lookup(root, source->below_root(), flags & AT_SYMLINK_FOLLOW);
    return node.ok() ? client.link(node->handle, root, target->below_root()) : node.error();
  });
}

bool symlink_path(const char* target, int directory, const char* path, int* result) {
  const auto place = place_of(directory, path);
  return at_place(place, result, [&](Client& client) {
    const std::string kept = moved(target, place->servers->prefix(), place->servers->directory());
    return client.symlink(place->servers->root(), place->below_root(), kept).error();
  });
}

bool mkdir_path(int directory, const char* path, mode_t mode, int* result) {
  const auto place = place_of(directory, path);
  return at_place(place, result, [&](Client& client) {
    if (place->rest.empty()) return EEXIST;
    return client.mkdir(place->servers->root(), place->below_root(), mode & ~current_umask()).error();
  });
}

}  // namespace headrace::forward::program
