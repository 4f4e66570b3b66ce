#include "forward/transport/interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>

namespace headrace::forward {
namespace {

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

const Interface* first_to_other_nodes(const std::vector<Interface>& all, const std::string& directory) {
  const auto leads_out = [](const Interface& each) {
    return (each.flags & IFF_UP) != 0 && (each.flags & IFF_LOOPBACK) == 0;
  };
  const auto is_hardware = [&](const Interface& each) {
    const std::string place = directory + "/" + each.name;
    return leads_out(each) && (each.flags & IFF_RUNNING) != 0 && (each.flags & IFF_POINTOPOINT) == 0 &&
           (access((place + "/device").c_str(), F_OK) == 0 || access((place + "/bonding").c_str(), F_OK) == 0);
  };
  auto found = std::find_if(all.begin(), all.end(), is_hardware);
  if (found == all.end()) found = std::find_if(all.begin(), all.end(), leads_out);
  return found == all.end() ? nullptr : &*found;
}

std::string address_of_interface(const std::string& asked) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return "";
  std::vector<Interface> reachable;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr != nullptr && !number_of(*each->ifa_addr).empty())
      reachable.push_back({each->ifa_name, each->ifa_flags});
  }
  const Interface* first = asked == "any" ? first_to_other_nodes(reachable, "/sys/class/net") : nullptr;
  const std::string name = first != nullptr ? first->name : asked;
  std::string found;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || name != each->ifa_name) continue;
    const bool v4 = each->ifa_addr->sa_family == AF_INET;
    if (found.empty() || (v4 && found.starts_with('['))) found = number_of(*each->ifa_addr);
    if (v4) break;
  }
  freeifaddrs(all);
  return found;
}

}  // namespace headrace::forward
