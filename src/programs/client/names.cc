// Files by path, and attributes: <headrace/forward.h> has the contract.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "forward/program/attributes.h"
#include "forward/protocol/handle.h"
#include "forward/protocol/secret.h"
#include "programs/client/connection.h"

namespace {

using headrace::forward::Attributes;
using headrace::forward::Node;
using headrace::forward::Outcome;
namespace forward = headrace::forward;

/// A path below the root, or why there is none.
struct Below {
  Below(const headrace_forward* connection, const char* path) {
    if (!connection->is_own()) {
      error = -ECHILD;
      return;
    }
    auto found = connection->below_root(path);
    if (found.has_value())
      text = std::move(*found);
    else
      error = -EXDEV;
  }
  std::string text;
  int error = 0;
};

void put(const Attributes& from, headrace_forward_attributes* to) {
  *to = {from.inode, from.size,       from.blocks,   from.mode,     from.links,   from.user,
         from.group, from.block_size, from.accessed, from.modified, from.changed, from.born};
}

Outcome<Node> find(headrace_forward* connection, const std::string& path, bool follow,
                   const forward::Client::Opening* opening = nullptr) {
  if (!path.empty()) return connection->client->lookup(connection->root, path, follow, opening);
  const auto attributes = connection->client->attributes(connection->root);
  if (!attributes.ok()) return forward::Failed{attributes.error()};
  return Node{connection->root, *attributes};
}

Outcome<Node> open_or_create(headrace_forward* connection, const std::string& path, int flags, mode_t mode,
                             const forward::Client::Opening& opening) {
  if (!(flags & O_CREAT) || path.empty()) return find(connection, path, !(flags & O_NOFOLLOW), &opening);
  const uint32_t how = ((flags & O_EXCL) ? forward::kExclusive : 0) | ((flags & O_TRUNC) ? forward::kTruncate : 0);
  return connection->client->create(connection->root, path, how, mode & 07777 & ~forward::program::current_umask(), {},
                                    &opening);
}

template <typename Call>
int two_paths(headrace_forward* connection, const char* from, const char* to, Call call) {
  const Below first(connection, from), second(connection, to);
  if (first.error != 0) return first.error;
  return second.error != 0 ? second.error : -call(first.text, second.text);
}

}  // namespace

int headrace_forward_open(headrace_forward* connection, const char* path, int flags, mode_t mode,
                          headrace_forward_file** file) {
  *file = nullptr;
  const Below below(connection, path);
  if (below.error != 0) return below.error;
  const forward::Client::Opening opening{forward::random_secret(), true};
  const auto node = open_or_create(connection, below.text, flags, mode, opening);
  if (!node.ok()) return -node.error();
  if ((flags & O_DIRECTORY) && !S_ISDIR(node->attributes.mode)) return -ENOTDIR;
  if ((flags & O_NOFOLLOW) && S_ISLNK(node->attributes.mode)) return -ELOOP;
  if ((flags & O_TRUNC) && !(flags & O_CREAT)) {
    const auto emptied = connection->client->resize(node->handle, 0);
    if (!emptied.ok()) {
      connection->client->closed(node->handle, opening.owner, false);
      return -emptied.error();
    }
  }
  *file = new headrace_forward_file{*connection, node->handle, opening.owner};
  return 0;
}

int headrace_forward_close(headrace_forward_file* file) {
  const bool own = file->connection.is_own();
  const int error =
      own && file->written ? file->connection.client->commit(file->handle, {}, nullptr, forward::kNoSync) : 0;
  if (own && forward::is_regular_file(file->handle)) file->connection.client->closed(file->handle, file->owner, false);
  delete file;
  return -error;
}

int headrace_forward_stat(headrace_forward* connection, const char* path, int follow,
                          headrace_forward_attributes* attributes) {
  const Below below(connection, path);
  if (below.error != 0) return below.error;
  const auto node = find(connection, below.text, follow != 0);
  if (node.ok()) put(node->attributes, attributes);
  return -node.error();
}

int headrace_forward_fstat(headrace_forward_file* file, headrace_forward_attributes* attributes) {
  if (!file->connection.is_own()) return -ECHILD;
  const auto found = file->connection.client->attributes(file->handle);
  if (found.ok()) put(*found, attributes);
  return -found.error();
}

int headrace_forward_set(headrace_forward_file* file, uint32_t which, const headrace_forward_attributes* attributes) {
  if (!file->connection.is_own()) return -ECHILD;
  Attributes to;
  to.mode = attributes->mode;
  to.user = attributes->user;
  to.group = attributes->group;
  to.accessed = attributes->accessed;
  to.modified = attributes->modified;
  return -file->connection.client->set_attributes(file->handle, which, to).error();
}

int headrace_forward_truncate(headrace_forward_file* file, uint64_t size) {
  if (!file->connection.is_own()) return -ECHILD;
  return -file->connection.client->resize(file->handle, size).error();
}

int headrace_forward_remove(headrace_forward* connection, const char* path) {
  const Below below(connection, path);
  return below.error != 0 ? below.error : -connection->client->remove(connection->root, below.text, false);
}

int headrace_forward_rmdir(headrace_forward* connection, const char* path) {
  const Below below(connection, path);
  return below.error != 0 ? below.error : -connection->client->remove(connection->root, below.text, true);
}

int headrace_forward_mkdir(headrace_forward* connection, const char* path, mode_t mode) {
  const Below below(connection, path);
  return below.error != 0
             ? below.error
             : -connection->client->mkdir(connection->root, below.text, mode & ~forward::program::current_umask())
                    .error();
}

int headrace_forward_rename(headrace_forward* connection, const char* from, const char* to, int replace) {
  return two_paths(connection, from, to, [&](const std::string& first, const std::string& second) {
    return connection->client->rename(connection->root, first, connection->root, second, replace != 0);
  });
}

int headrace_forward_link(headrace_forward* connection, const char* from, const char* to) {
  return two_paths(connection, from, to, [&](const std::string& first, const std::string& second) {
    const auto node = find(connection, first, false);
    return node.ok() ? connection->client->link(node->handle, connection->root, second) : node.error();
  });
}

int headrace_forward_symlink(headrace_forward* connection, const char* target, const char* path) {
  const Below below(connection, path);
  return below.error != 0 ? below.error : -connection->client->symlink(connection->root, below.text, target).error();
}

ssize_t headrace_forward_readlink(headrace_forward* connection, const char* path, char* target, size_t size) {
  const Below below(connection, path);
  if (below.error != 0) return below.error;
  const auto node = find(connection, below.text, false);
  if (!node.ok()) return -node.error();
  const auto text = connection->client->readlink(node->handle);
  if (!text.ok()) return -text.error();
  memcpy(target, text->data(), std::min(size, text->size()));
  return static_cast<ssize_t>(text->size());
}

int headrace_forward_list(headrace_forward* connection, const char* path,
                          int (*each)(void* context, const char* name, uint64_t inode, unsigned type), void* context) {
  const Below below(connection, path);
  if (below.error != 0) return below.error;
  const auto node = find(connection, below.text, true);
  if (!node.ok()) return -node.error();
  const auto entries = connection->client->list(node->handle);
  if (!entries.ok()) return -entries.error();
  for (const auto& entry : *entries) {
    if (entry.name == "." || entry.name == "..") continue;
    if (const int stop = each(context, entry.name.c_str(), entry.inode, entry.type); stop != 0) return stop;
  }
  return 0;
}
