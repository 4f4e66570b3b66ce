// Which paths are forwarded, and to where. Thread-safe.
#pragma once
#include <optional>
#include <string>

#include "forward/program/servers.h"

namespace headrace::forward::program {

/// A path below a prefix.
struct Place {
  uint32_t prefix;
  Servers* servers;
  std::string path;  // as the program would name it from "/": without ".", "..", or "/" at the end
  std::string rest;  // below the prefix; "" is the prefix itself, "/" at the end as the program gave it

  /// The path below the servers' root(), once there is a client.
  std::string below_root() const { return servers->below_root(rest); }
};

/// Before the first call.
void prepare_places(const Setup& setup);
Servers& servers_of(uint32_t prefix);
size_t prefixes();
/// The one of those servers in this process, if it has one.
std::optional<uint32_t> prefix_of_servers(uint64_t identity);

/// Whether an absolute path begins with a prefix, which need not be there, and goes on to what is not below it.
bool leads_out_of_prefix(std::string_view path);

/// The path of a directory's descriptor, or of the working directory; "" when it is not forwarded.
std::string forwarded_base(int directory);
/// `path` as a call has it, from a directory's descriptor or AT_FDCWD. Nothing: it is not forwarded, or is none.
/// `follow`: the kernel's links to descriptors, as /dev/stdin, are meant to be followed if they are the whole path.
std::optional<Place> place_of(int directory, const char* path, bool follow = false);
/// The path of the forwarded file behind such a link, with what follows behind the link; "" when there is none.
std::string path_behind_link(std::string_view path, bool follow);

}  // namespace headrace::forward::program
