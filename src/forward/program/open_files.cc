#include "forward/program/open_files.h"

#include <limits.h>

#include "forward/program/places.h"
#include "forward/program/table.h"

namespace headrace::forward::program {

void tell_open(Client& client, Description& file, const Handle& handle) {
  // A child of vfork has connections of its own, for a moment.
  if (!(file.is_file() || file.is_directory()) || file.is_path_only() || OwnConnections::of_thread() != nullptr) return;
  const uint64_t connection = client.connection(handle);
  if (file.is_told(connection)) return;
  file.set_told(connection);
  // Where that does not work the file is found by its path, if it has one.
  [[maybe_unused]] const auto opened = client.opened(handle, {file.owner(), file.may_write()});
}

void tell_again(Client& client, uint32_t prefix) {
  if (OwnConnections::of_thread() != nullptr || !servers_of(prefix).is_connected_anew(client)) return;
  for (int fd = next_number(0, UINT_MAX); fd >= 0; fd = next_number(static_cast<unsigned>(fd) + 1, UINT_MAX)) {
    const Held file(fd);
    if (file && file->prefix() == prefix && file->was_told()) tell_open(client, *file, file->handle());
  }
}

void tell_closed(Client& client, Description& file) {
  bool shared = false;
  if (OwnConnections::of_thread() == nullptr && file.take_told(&shared))
    client.closed(file.handle(), file.owner(), shared);
}

}  // namespace headrace::forward::program
