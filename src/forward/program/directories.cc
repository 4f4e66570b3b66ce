// Directories as streams and as descriptors. A stream is one of the C library's own, whose descriptor is a forwarded
// directory, so dirfd() knows it; its entries are kept here.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "forward/program/inside.h"
#include "forward/program/open_files.h"
#include "forward/program/operations.h"
#include "forward/program/places.h"
#include "forward/program/process.h"
#include "forward/program/table.h"

namespace headrace::forward::program {
namespace {

struct Stream {
  std::vector<OwnedEntry> entries;
  size_t next = 0;
  bool listed = false;
  dirent entry;
};

std::unordered_map<DIR*, std::unique_ptr<Stream>>& streams() {
  static auto& all = *new std::unordered_map<DIR*, std::unique_ptr<Stream>>;
  return all;
}

Stream* stream_of(DIR* directory) {
  const std::lock_guard<std::mutex> lock(table_mutex());
  const auto found = streams().find(directory);
  return found == streams().end() ? nullptr : found->second.get();
}

/// An error number.
int list(int fd, std::vector<OwnedEntry>* entries) {
  const Held file(fd);
  if (!file) return EBADF;
  if (!file->is_directory()) return ENOTDIR;
  Servers& servers = servers_of(file->prefix());
  Client* client = servers.client();
  if (client == nullptr) return EIO;
  tell_open(*client, *file, file->handle());
  auto listed = client->list(file->handle());
  if (!listed.ok()) return servers.error(listed.error());
  *entries = std::move(*listed);
  return 0;
}

}  // namespace

/// The position counts entries of one listing, taken anew for each call.
ssize_t getdents64_file(int fd, void* into, size_t size) {
  const Held file(fd);
  if (!file) return fail<ssize_t>(EBADF);
  std::vector<OwnedEntry> entries;
  if (const int error = list(fd, &entries); error != 0) return fail<ssize_t>(error);
  const Description::PositionLock lock(*file);
  auto* const begin = static_cast<char*>(into);
  char* at = begin;
  for (uint64_t i = file->position(); i < entries.size(); ++i) {
    const size_t bytes = (offsetof(dirent64, d_name) + entries[i].name.size() + 1 + 7) / 8 * 8;
    if (bytes > size - static_cast<size_t>(at - begin)) {
      if (at == begin) return fail<ssize_t>(EINVAL);
      break;
    }
    auto* entry = reinterpret_cast<dirent64*>(at);
    entry->d_ino = entries[i].inode;
    entry->d_off = static_cast<off_t>(i + 1);
    entry->d_reclen = static_cast<unsigned short>(bytes);
    entry->d_type = entries[i].type;
    memcpy(entry->d_name, entries[i].name.c_str(), entries[i].name.size() + 1);
    at += bytes;
    file->position() = i + 1;
  }
  return at - begin;
}

DIR* open_directory_of(int fd) {
  const Held file(fd);
  const auto failed = [](int error) -> DIR* { return errno = error, nullptr; };
  if (!file) return failed(EBADF);
  if (!file->is_directory()) return failed(ENOTDIR);
  // The C library wants a directory behind the number for a moment.
  const int placeholder = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  const int any = placeholder < 0 ? -1 : open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int flags = fcntl(fd, F_GETFD);
  DIR* directory = any >= 0 && dup3(any, fd, O_CLOEXEC) >= 0 ? fdopendir(fd) : nullptr;
  const int error = errno;
  if (placeholder >= 0) dup3(placeholder, fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0);
  if (any >= 0) close(any);
  if (placeholder >= 0) close(placeholder);
  if (directory == nullptr) return failed(error);
  const std::lock_guard<std::mutex> lock(table_mutex());
  streams()[directory] = std::make_unique<Stream>();
  return directory;
}

bool open_directory(const char* path, DIR** result) {
  int fd = -1;
  *result = nullptr;
  if (!open_path(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, &fd)) return false;
  if (fd < 0) return true;
  *result = open_directory_of(fd);
  if (*result == nullptr) {
    const int error = errno;
    close_number(fd);
    errno = error;
  }
  return true;
}

bool is_forwarded_directory(DIR* stream) { return stream_of(stream) != nullptr; }

dirent* read_directory(DIR* directory) {
  const int before = errno;
  Stream* stream = stream_of(directory);
  if (stream == nullptr) return errno = EBADF, nullptr;
  if (!stream->listed) {
    if (const int error = list(dirfd(directory), &stream->entries); error != 0) return errno = error, nullptr;
    stream->listed = true;
  }
  if (stream->next >= stream->entries.size()) return errno = before, nullptr;  // as where there is one more
  const OwnedEntry& from = stream->entries[stream->next++];
  dirent& entry = stream->entry;
  entry.d_ino = from.inode;
  entry.d_off = static_cast<off_t>(stream->next);
  entry.d_reclen = sizeof entry;
  entry.d_type = from.type;
  const size_t length = std::min(from.name.size(), sizeof entry.d_name - 1);
  memcpy(entry.d_name, from.name.data(), length);
  entry.d_name[length] = '\0';
  return &entry;
}

void seek_directory(DIR* directory, long position) {
  Stream* stream = stream_of(directory);
  if (stream == nullptr) return;
  stream->next = static_cast<size_t>(std::max(position, 0L));
  if (position == 0) stream->listed = false, stream->entries.clear();
}

int close_directory(DIR* directory) {
  {
    const std::lock_guard<std::mutex> lock(table_mutex());
    streams().erase(directory);
  }
  set_descriptor(dirfd(directory), nullptr);
  return closedir(directory);
}

}  // namespace headrace::forward::program
