// Connecting: <headrace/forward.h> has the contract.
#include <errno.h>
#include <stdlib.h>

#include "forward/program/spec.h"
#include "forward/protocol/secret.h"
#include "programs/client/connection.h"

namespace {

using headrace::base::Code;
using headrace::base::Result;
using headrace::base::Status;
namespace forward = headrace::forward;

constexpr uint32_t kCallMs = 120'000, kConnectMs = 10'000;
thread_local std::string message;

struct Where {
  forward::program::Spec spec;
  std::string secret;
};

Result<Where> where_of(const char* spec, const char* secret) {
  Where where;
  if (spec != nullptr) {
    HEADRACE_ASSIGN(where.spec, forward::program::parse_spec(spec));
  } else {
    const char* variable = getenv(forward::program::kServersVariable);
    if (variable == nullptr)
      return Status(Code::kInvalid, "no servers are named, and the program is under no `headrace run --forward`");
    HEADRACE_ASSIGN(auto setup, forward::program::from_text(variable));
    where = {setup.specs.at(0), setup.secret};
  }
  if (secret != nullptr) where.secret = secret;
  return where;
}

Result<std::unique_ptr<headrace_forward>> connect(const char* spec, const char* secret, uint32_t timeout_ms) {
  HEADRACE_ASSIGN(const Where where, where_of(spec, secret));
  forward::WireOptions options;
  options.connect_ms = timeout_ms == 0 ? kConnectMs : std::min(kConnectMs, timeout_ms);
  if (!where.secret.empty()) {
    HEADRACE_ASSIGN(options.secret, forward::read_secret(where.secret, false));
  }
  auto made = std::make_unique<headrace_forward>();
  HEADRACE_ASSIGN(made->client,
                  forward::Client::open(where.spec.addresses, options, timeout_ms == 0 ? kCallMs : timeout_ms));
  std::string_view rest;
  const forward::OwnedRoot* root = made->client->root_of(where.spec.directory, &rest);
  if (root == nullptr) return Status(Code::kInvalid, where.spec.directory + " is below no --root of the servers");
  made->root = root->handle;
  made->base = rest.empty() ? "" : std::string(rest) + "/";
  made->prefix = where.spec.prefix;
  return made;
}

}  // namespace

int headrace_forward_connect(const char* spec, const char* secret, uint32_t timeout_ms, headrace_forward** connection) {
  auto made = connect(spec, secret, timeout_ms);
  message = made.ok() ? "" : made.status().message();
  *connection = made.ok() ? made->release() : nullptr;
  return made.ok() ? 0 : made.code() == Code::kInvalid ? -EINVAL : -EIO;
}

const char* headrace_forward_message(void) { return message.c_str(); }

void headrace_forward_disconnect(headrace_forward* connection) { delete connection; }
