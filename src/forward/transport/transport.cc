#include "forward/transport/transport.h"

#include "forward/transport/tcp.h"
#include "forward/transport/unix.h"

namespace headrace::forward {
namespace {

struct Scheme {
  const char* name;
  base::Result<std::unique_ptr<Listener>> (*listen)(const std::string& place);
  base::Result<std::unique_ptr<Link>> (*connect)(const std::string& place, int patience_ms);
};

constexpr Scheme kSchemes[] = {
    {"unix:", listen_unix, connect_unix},
    {"tcp:", listen_tcp, connect_tcp},
};

base::Result<const Scheme*> scheme_of(const std::string& address) {
  for (const Scheme& scheme : kSchemes) {
    if (address.starts_with(scheme.name)) return &scheme;
  }
  return base::Status(base::Code::kInvalid, "'" + address + "': an address is unix:PATH or tcp:HOST:PORT");
}

}  // namespace

base::Status check_address(const std::string& address) { return scheme_of(address).status(); }

base::Result<std::unique_ptr<Listener>> listen(const std::string& address) {
  HEADRACE_ASSIGN(const Scheme* scheme, scheme_of(address));
  return scheme->listen(address.substr(std::string(scheme->name).size()));
}

base::Result<std::unique_ptr<Link>> connect(const std::string& address, int patience_ms) {
  HEADRACE_ASSIGN(const Scheme* scheme, scheme_of(address));
  return scheme->connect(address.substr(std::string(scheme->name).size()), patience_ms);
}

}  // namespace headrace::forward
