#include "forward/program/servers.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "base/clock.h"
#include "base/hash.h"
#include "forward/program/process.h"

namespace headrace::forward::program {
namespace {

constexpr long kRetryNs = 50'000'000;
constexpr uint64_t kFirstNs = 15'000'000'000;   // that a process waits which does not know its servers yet
constexpr uint64_t kSilenceNs = 2'000'000'000;  // after servers were not reached, until it is tried again

__thread OwnConnections* own_connections __attribute__((tls_model("initial-exec")));

uint64_t now_ns() { return base::clock_ns(CLOCK_MONOTONIC); }

/// Nobody is there now; who is there and says no is not waited for.
bool may_come(base::Code code) { return code == base::Code::kIo || code == base::Code::kNotFound; }

/// Once in a process, whatever the number of prefixes.
void close_inherited() {
  static uint64_t done = 0;
  if (done == process_generation()) return;
  done = process_generation();
  close_inherited_descriptors();
}

}  // namespace

Servers::Servers(Spec spec, const Setup& setup)
    : spec_(std::move(spec)), secret_(setup.secret), timeout_ms_(setup.timeout_seconds * 1000) {
  const uint64_t hash = base::hash_bytes(spec_.directory.data(), spec_.directory.size());
  identity_ = 0;
  for (const std::string& address : spec_.addresses) identity_ = base::mix(identity_, base::hash_text(address));
  device_ = makedev(0xff0, static_cast<unsigned>(hash & 0xfffff));
}

void Servers::say(const std::string& what) {
  if (said_) return;
  said_ = true;
  put_line(what);
}

void Servers::note(Note which, const std::string& what) {
  if (!(noted_.fetch_or(which) & which)) put_line(what);
}

void Servers::put_line(const std::string& what) const {
  const std::string line = "headrace: forwarding of " + spec_.prefix + ": " + what + "\n";
  [[maybe_unused]] const ssize_t put = write(STDERR_FILENO, line.data(), line.size());
}

Client* Servers::client() {
  if (own_connections != nullptr) return own_connections->client_of(*this);
  const std::lock_guard<std::mutex> lock(connection_mutex());
  if (generation_ != process_generation()) {
    // After fork it is the parent's; its locks may be in any state.
    if (generation_ != 0) close_inherited();
    generation_ = process_generation();
    client_ = nullptr;
    connections_ = 0;
    silent_until_ns_ = 0;
  }
  if (client_ != nullptr && !gone_) return client_;
  if (now_ns() < silent_until_ns_) return nullptr;
  if (connect()) return client_;
  gone_ = true;
  silent_until_ns_ = now_ns() + kSilenceNs;
  return nullptr;
}

/// Needs the lock.
std::unique_ptr<Client> Servers::open(bool waits) {
  WireOptions options;
  options.connect_ms = timeout_ms_;  // the first call waits no longer than others, nor less
  if (!secret_.empty()) {
    const auto secret = read_secret(secret_, false);
    if (!secret.ok()) return say(secret.message()), nullptr;
    options.secret = *secret;
  }
  auto opened = Client::open(spec_.addresses, options, timeout_ms_);
  // One that is being started again comes back: this waits for it as calls on a connection do.
  const uint64_t end = now_ns() + std::min(uint64_t{timeout_ms_} * 1'000'000, kFirstNs);
  while (waits && !opened.ok() && may_come(opened.status().code()) && now_ns() < end) {
    const timespec pause{0, kRetryNs};
    nanosleep(&pause, nullptr);
    opened = Client::open(spec_.addresses, options, timeout_ms_);
  }
  if (!opened.ok()) return say(opened.message() + "; calls fail with EIO"), nullptr;
  std::string_view rest;
  const OwnedRoot* root = (*opened)->root_of(spec_.directory, &rest);
  if (root == nullptr) return say(spec_.directory + " is below no --root of the servers; calls fail with EIO"), nullptr;
  if (root_.empty()) {
    root_ = root->handle;
    base_ = rest.empty() ? "" : std::string(rest) + "/";
  }
  said_ = false;
  return std::move(*opened);
}

bool Servers::connect() {
  auto opened = open(!gone_);
  if (opened == nullptr) return false;
  // The one that was given up knows what was written and not stored; it connects again with its next call.
  if (client_ == nullptr) client_ = opened.release();
  gone_ = false;
  return true;
}

OwnConnections::OwnConnections() { own_connections = this; }
OwnConnections::~OwnConnections() { own_connections = nullptr; }
OwnConnections* OwnConnections::of_thread() { return own_connections; }

Client* OwnConnections::client_of(Servers& servers) {
  for (const auto& [of, client] : clients_)
    if (of == &servers) return client.get();
  const std::lock_guard<std::mutex> lock(connection_mutex());
  return clients_.emplace_back(&servers, servers.open(false)).second.get();
}

bool Servers::is_connected_anew(Client& client) {
  uint64_t connections = 0;
  for (size_t i = 0; i < client.servers(); ++i) connections += client.channel(i).connection();
  const uint64_t before = connections_.exchange(connections);
  return before != connections && before != 0;
}

/// The next call finds out quickly whether somebody is there again.
void Servers::give_up() {
  const std::lock_guard<std::mutex> lock(connection_mutex());
  gone_ = true;
  silent_until_ns_ = now_ns() + kSilenceNs;
}

int Servers::error(int error) {
  switch (error) {
    case ETIMEDOUT:
    case ENOTCONN:
    case ECONNRESET:
      give_up();
      say(std::string("no answer within ") + std::to_string(timeout_ms_ / 1000) + " s (" + strerror(error) +
          "); calls fail with EIO");
      return EIO;
    case EPROTO:
      say("a server refused a call, which fails with EIO; are all parts of Headrace of one version?");
      return EIO;
    default:
      return error;
  }
}

}  // namespace headrace::forward::program
