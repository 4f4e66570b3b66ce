#include "forward/mount/upstream.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"

namespace headrace::forward::mount {
namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr uint64_t kSilenceNs = 2'000'000'000;  // after nobody answered, until it is tried again
constexpr uint32_t kConnectMs = 10'000;

}  // namespace

Result<std::unique_ptr<Upstream>> Upstream::open(const program::Spec& spec, const program::Setup& setup, Say say) {
  std::unique_ptr<Upstream> made(new Upstream(spec, setup, std::move(say)));
  made->options_.connect_ms = std::min(kConnectMs, made->timeout_ms_);
  if (!setup.secret.empty()) {
    HEADRACE_ASSIGN(made->options_.secret, read_secret(setup.secret, false));
  }
  HEADRACE_ASSIGN(made->client_, made->connect());
  HEADRACE_ASSIGN(made->root_, made->root_at(*made->client_));
  return made;
}

Result<std::unique_ptr<Client>> Upstream::connect() const {
  return Client::open(spec_.addresses, options_, timeout_ms_);
}

Result<Handle> Upstream::root_at(Client& client) const {
  std::string_view rest;
  const OwnedRoot* root = client.root_of(spec_.directory, &rest);
  if (root == nullptr) return Status(Code::kInvalid, spec_.directory + " is below no --root of the servers");
  if (rest.empty()) return root->handle;
  const auto node = client.lookup(root->handle, rest);
  if (!node.ok()) return Status(Code::kNotFound, spec_.directory + " at the servers: " + strerror(node.error()));
  if (!S_ISDIR(node->attributes.mode))
    return Status(Code::kInvalid, spec_.directory + " at the servers is not a directory");
  return node->handle;
}

/// Over a connection of its own: what the other one knows of roots changes under it when it connects again.
Outcome<Handle> Upstream::find_root() const {
  const auto client = connect();
  if (!client.ok()) return Failed{EIO};
  auto root = root_at(**client);
  if (!root.ok()) return Failed{ESTALE};
  return std::move(*root);
}

bool Upstream::answers() {
  if (!silent_) return true;
  const std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || base::monotonic_ns() < silent_until_ns_) return false;
  const bool there = connect().ok();
  silent_until_ns_ = base::monotonic_ns() + kSilenceNs;
  if (!there) return false;
  say("the servers answer again");
  silent_ = false;
  return true;
}

bool Upstream::is_silence(int error) {
  return error == ETIMEDOUT || error == ENOTCONN || error == ECONNRESET || error == EPROTO;
}

int Upstream::error(int error) {
  if (error == ENOSYS) return EOPNOTSUPP;  // the kernel would never ask for that again
  if (!is_silence(error)) return error;
  const std::lock_guard<std::mutex> lock(mutex_);
  silent_until_ns_ = base::monotonic_ns() + kSilenceNs;
  if (!silent_.exchange(true))
    say("no answer within " + std::to_string(timeout_ms_ / 1000) + " s (" + strerror(error) + "); calls fail with EIO");
  return EIO;
}

}  // namespace headrace::forward::mount
