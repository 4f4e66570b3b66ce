// Network interfaces of this node, which servers may be told to listen on by name.
#pragma once
#include <string>
#include <vector>

namespace headrace::forward {

/// The address of interface `name`, such as ib0, as a number: that of IPv4 where it has one, [in brackets] otherwise.
/// With "any" that of first_to_other_nodes(). Empty: there is none.
std::string address_of_interface(const std::string& name);

struct Interface {
  std::string name;
  unsigned flags = 0;  // as of netdevice(7)
};
/// The first one of hardware, or several of those bonded, that runs; bridges and tunnels, which containers have in
/// front of these, lead nowhere. Where a node shows none of hardware, as a container, the first that is up and not the
/// loopback; null: none is. `directory`: as /sys/class/net.
const Interface* first_to_other_nodes(const std::vector<Interface>& all, const std::string& directory);

}  // namespace headrace::forward
