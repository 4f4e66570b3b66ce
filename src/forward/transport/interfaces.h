// Network interfaces of this node, which servers may be told to listen on by name.
#pragma once
#include <string>

namespace headrace::forward {

/// The address of interface `name`, such as ib0, as a number: that of IPv4 where it has one, [in brackets] otherwise.
/// With "any" that of the first interface that is up and leads to other nodes. Empty: there is none.
std::string address_of_interface(const std::string& name);

}  // namespace headrace::forward
