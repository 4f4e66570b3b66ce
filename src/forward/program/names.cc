// Calls on files by their path: opening, asking, changing attributes.
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "forward/program/at_place.h"
#include "forward/program/attributes.h"
#include "forward/program/operations.h"
#include "forward/program/table.h"
#include "forward/protocol/secret.h"

namespace headrace::forward::program {
namespace {

Outcome<Node> look_up(Client& client, const Place& place, bool follow, const Client::Opening* opening = nullptr) {
  return client.lookup(place.servers->root(), place.below_root(), follow, opening);
}

int check_open(const Attributes& attributes, int flags) {
  const int access = flags & O_ACCMODE;
  if (S_ISLNK(attributes.mode) && !(flags & O_PATH)) return ELOOP;
  if ((flags & O_DIRECTORY) && !S_ISDIR(attributes.mode)) return ENOTDIR;
  if (flags & O_PATH) return 0;
  if (S_ISDIR(attributes.mode) && (access != O_RDONLY || (flags & (O_CREAT | O_TRUNC)))) return EISDIR;
  if (!S_ISREG(attributes.mode) && !S_ISDIR(attributes.mode)) return EOPNOTSUPP;
  return check_access(attributes,
                      (access != O_WRONLY ? R_OK : 0) | (access != O_RDONLY || (flags & O_TRUNC) ? W_OK : 0));
}

/// Whether a file of this user with these permissions can be opened so.
bool grants(uint32_t permissions, int flags) {
  Attributes made;
  made.mode = S_IFREG | permissions;
  made.user = geteuid();
  return check_open(made, flags) == 0;
}

/// What was opened is not used.
void give_back(Client& client, const Node& node, const Client::Opening* opening) {
  const bool opened = S_ISREG(node.attributes.mode) || S_ISDIR(node.attributes.mode);
  if (opening != nullptr && opened) client.closed(node.handle, opening->owner, false);
}

Outcome<Node> find(Client& client, const Place& place, int flags, const Client::Opening* opening) {
  auto node = look_up(client, place, !(flags & O_NOFOLLOW), opening);
  const int error = node.ok() ? check_open(node->attributes, flags) : 0;
  if (error != 0) {
    give_back(client, *node, opening);
    return Failed{error};
  }
  if (node.ok() && (flags & O_TRUNC) && S_ISREG(node->attributes.mode) && !(flags & O_PATH)) {
    const auto emptied = client.resize(node->handle, 0);
    if (!emptied.ok()) {
      give_back(client, *node, opening);
      return Failed{emptied.error()};
    }
  }
  return node;
}

/// Why there is no file without a name: as of a file system that cannot make one.
int why_no_nameless(Client& client, const Place& place, int flags) {
  if ((flags & O_ACCMODE) == O_RDONLY) return EINVAL;
  const auto node = look_up(client, place, !(flags & O_NOFOLLOW));
  if (!node.ok()) return node.error();
  if (!S_ISDIR(node->attributes.mode)) return ENOTDIR;
  const int error = check_access(node->attributes, W_OK | X_OK);
  return error != 0 ? error : EOPNOTSUPP;
}

Outcome<Node> find_or_create(Client& client, const Place& place, int flags, mode_t mode,
                             const Client::Opening* opening) {
  if ((flags & O_TMPFILE) == O_TMPFILE) return Failed{why_no_nameless(client, place, flags)};
  if (!(flags & O_CREAT) || (flags & O_PATH)) return find(client, place, flags, opening);
  if (place.rest.ends_with('/') || place.rest.empty()) return Failed{EISDIR};
  const uint32_t permissions = mode & 07777 & ~current_umask();
  const auto create = [&](uint32_t how) {
    return client.create(place.servers->root(), place.below_root(), how, permissions, {}, opening);
  };
  // One that is new may have permissions that its maker does not get. And that it is new saves several servers the
  // question what they hold of it.
  const bool only_new = flags & O_EXCL;
  if (only_new || client.servers() > 1 || !grants(permissions, flags)) {
    auto made = create(kExclusive);
    if (made.ok() || made.error() != EEXIST || only_new) return made;
    auto found = find(client, place, flags, opening);
    if (found.ok() || found.error() != ENOENT) return found;  // ENOENT: a link to what is not there
  }
  auto node = create(flags & O_TRUNC ? kTruncate : 0);
  const int error = node.ok() ? check_open(node->attributes, flags) : node.error();
  if (error == 0) return node;
  if (node.ok()) give_back(client, *node, opening);
  // To create takes more of a server than it takes to open what is there.
  auto found = error == EACCES && !node.ok() ? find(client, place, flags, opening) : Failed{error};
  return found.ok() ? found : Failed{error};
}

}  // namespace

bool open_path(int directory, const char* path, int flags, mode_t mode, int* result) {
  const auto place = place_of(directory, path, !(flags & O_NOFOLLOW));
  int fd = -1;
  const bool ours = at_place(place, result, [&](Client& client) {
    const Client::Opening opening{random_secret(), (flags & O_ACCMODE) != O_RDONLY};
    const bool opens = !(flags & O_PATH) && OwnConnections::of_thread() == nullptr;
    const auto node = find_or_create(client, *place, flags, mode, opens ? &opening : nullptr);
    if (!node.ok()) return node.error();
    Description* made = Description::make({place->prefix, static_cast<uint32_t>(flags), node->attributes.mode,
                                           node->handle, place->path, client.name(node->handle), opening.owner},
                                          &fd);
    const bool fits = made != nullptr && fits_table(fd);
    const int error = fits ? 0 : made == nullptr ? errno : EMFILE;
    if (error != 0) give_back(client, *node, opens ? &opening : nullptr);
    if (made != nullptr && !fits) close(fd);
    if (error != 0) return error;
    if (opens) made->set_told(client.connection(node->handle));
    set_descriptor(fd, made);
    return 0;
  });
  if (ours && *result == 0) *result = fd;
  return ours;
}

bool stat_path(int directory, const char* path, int flags, struct stat* into, int* result) {
  const auto place = place_of(directory, path, !(flags & AT_SYMLINK_NOFOLLOW));
  return at_place(place, result, [&](Client& client) {
    const auto node = look_up(client, *place, !(flags & AT_SYMLINK_NOFOLLOW));
    if (node.ok()) fill(node->attributes, place->servers->device(), into);
    return node.error();
  });
}

bool statx_path(int directory, const char* path, int flags, struct statx* into, int* result) {
  const auto place = place_of(directory, path, !(flags & AT_SYMLINK_NOFOLLOW));
  return at_place(place, result, [&](Client& client) {
    const auto node = look_up(client, *place, !(flags & AT_SYMLINK_NOFOLLOW));
    if (node.ok()) fill(node->attributes, place->servers->device(), into);
    return node.error();
  });
}

bool access_path(int directory, const char* path, int mode, int flags, int* result) {
  const auto place = place_of(directory, path, !(flags & AT_SYMLINK_NOFOLLOW));
  return at_place(place, result, [&](Client& client) {
    const auto node = look_up(client, *place, !(flags & AT_SYMLINK_NOFOLLOW));
    return node.ok() ? check_access(node->attributes, mode) : node.error();
  });
}

bool truncate_path(const char* path, off_t size, int* result) {
  const auto place = place_of(AT_FDCWD, path, true);
  return at_place(place, result, [&](Client& client) {
    if (size < 0) return EINVAL;
    const auto node = look_up(client, *place, true);
    if (!node.ok()) return node.error();
    if (S_ISDIR(node->attributes.mode)) return EISDIR;
    if (const int error = check_access(node->attributes, W_OK); error != 0) return error;
    return client.resize(node->handle, static_cast<uint64_t>(size)).error();
  });
}

bool chmod_path(int directory, const char* path, mode_t mode, int flags, int* result) {
  const auto place = place_of(directory, path, !(flags & AT_SYMLINK_NOFOLLOW));
  return at_place(place, result, [&](Client& client) {
    const auto node = client.lookup(place->servers->root(), place->below_root(), !(flags & AT_SYMLINK_NOFOLLOW));
    if (!node.ok()) return node.error();
    if (S_ISLNK(node->attributes.mode)) return EOPNOTSUPP;
    Attributes to;
    to.mode = mode;
    return client.set_attributes(node->handle, kSetMode, to).error();
  });
}

bool chown_path(int directory, const char* path, uid_t user, gid_t group, int flags, int* result) {
  const auto place = place_of(directory, path, !(flags & AT_SYMLINK_NOFOLLOW));
  return at_place(place, result, [&](Client& client) {
    const auto node = client.lookup(place->servers->root(), place->below_root(), !(flags & AT_SYMLINK_NOFOLLOW));
    if (!node.ok()) return node.error();
    Attributes to;
    to.user = user;
    to.group = group;
    const uint32_t set =
        (user != static_cast<uid_t>(-1) ? kSetUser : 0) | (group != static_cast<gid_t>(-1) ? kSetGroup : 0);
    return client.set_attributes(node->handle, set, to).error();
  });
}

bool utimens_path(int directory, const char* path, const timespec* times, int flags, int* result) {
  const auto place = place_of(directory, path, !(flags & AT_SYMLINK_NOFOLLOW));
  return at_place(place, result, [&](Client& client) {
    const auto node = client.lookup(place->servers->root(), place->below_root(), !(flags & AT_SYMLINK_NOFOLLOW));
    if (!node.ok()) return node.error();
    Attributes to;
    const uint32_t set = times_to_set(times, &to);
    return client.set_attributes(node->handle, set, to).error();
  });
}

bool is_forwarded_path(int directory, const char* path) { return place_of(directory, path, true).has_value(); }

}  // namespace headrace::forward::program
