#include "forward/transport/interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

namespace headrace::forward {
namespace {

bool is_meant(const ifaddrs& each, const std::string& name) {
  if (name != "any") return name == each.ifa_name;
  return (each.ifa_flags & IFF_UP) != 0 && (each.ifa_flags & IFF_LOOPBACK) == 0;
}

std::string number_of(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.sa_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text, sizeof text);
    return text;
  }
  // An address of the link alone needs the interface's number as well, which is another one on each node.
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (address.sa_family != AF_INET6 || IN6_IS_ADDR_LINKLOCAL(&v6)) return "";
  inet_ntop(AF_INET6, &v6, text, sizeof text);
  return "[" + std::string(text) + "]";
}

}  // namespace

std::string address_of_interface(const std::string& name) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return "";
  std::string found;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || !is_meant(*each, name)) continue;
    const bool v4 = each->ifa_addr->sa_family == AF_INET;
    if (found.empty() || (v4 && found.starts_with('['))) found = number_of(*each->ifa_addr);
    if (v4) break;
  }
  freeifaddrs(all);
  return found;
}

}  // namespace headrace::forward
