// Addresses of servers, and how they are reached.
//
//   unix:/path/of/socket      processes of the same user on the same node
//   tcp:HOST:PORT             HOST is a number, or [a:b::c]; names are for clients to look up
#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "forward/transport/link.h"

namespace headrace::forward {

/// kInvalid: it is none.
base::Status check_address(const std::string& address);
base::Result<std::unique_ptr<Listener>> listen(const std::string& address);
/// Waits `patience_ms` at the most; the connection's own calls do not wait. kNotFound: nobody is there.
base::Result<std::unique_ptr<Link>> connect(const std::string& address, int patience_ms);

}  // namespace headrace::forward
