// What servers know of the files that this process has open, so that they keep them open as well.
#pragma once
#include "forward/program/description.h"

namespace headrace::forward::program {

/// Before a file is used: one that was inherited, and every one over a new connection, is not known to servers.
void tell_open(Client& client, Description& file, const Handle& handle);
/// After a call: over a connection that was made anew servers are told of all files, before their names can go.
void tell_again(Client& client, uint32_t prefix);
/// Before this process's last number of it is closed.
void tell_closed(Client& client, Description& file);

}  // namespace headrace::forward::program
