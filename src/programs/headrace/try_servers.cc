#include "programs/headrace/try_servers.h"

#include <time.h>

#include "base/clock.h"
#include "forward/client/client.h"

namespace headrace::programs {
namespace {

using base::Code;
using base::Status;
using forward::program::Setup;
using forward::program::Spec;

constexpr uint64_t kStartNs = 2'000'000'000;  // for a server that was started just before
constexpr timespec kTryPause = {0, 20'000'000};

/// kNotFound: nobody is there.
Status try_once(const Spec& spec, const forward::WireOptions& options, uint32_t call_ms) {
  HEADRACE_ASSIGN(const auto client, forward::Client::open(spec.addresses, options, call_ms));
  std::string_view rest;
  if (client->root_of(spec.directory, &rest) != nullptr) return {};
  return {Code::kInvalid, spec.directory + " is below no --root of " + spec.addresses[0]};
}

Status try_for_a_while(const Spec& spec, const forward::WireOptions& options, uint32_t call_ms) {
  const uint64_t end = base::clock_ns(CLOCK_MONOTONIC) + kStartNs;
  for (;;) {
    const Status tried = try_once(spec, options, call_ms);
    if (tried.code() != Code::kNotFound || base::clock_ns(CLOCK_MONOTONIC) > end) return tried;
    nanosleep(&kTryPause, nullptr);
  }
}

bool all_elsewhere(const Spec& spec) {
  for (const std::string& address : spec.addresses)
    if (!address.starts_with("tcp:")) return false;
  return true;
}

}  // namespace

Status try_servers(const Setup& setup, bool starts_ranks, std::string* warning) {
  forward::WireOptions options;
  options.window = 0;
  options.connect_ms = setup.timeout_seconds * 1000;
  bool elsewhere = starts_ranks;
  for (const Spec& spec : setup.specs) elsewhere &= all_elsewhere(spec);
  const char* const kUnlessThere = "; nor will the command's processes, unless they run on other nodes";
  if (!setup.secret.empty()) {
    const auto secret = forward::read_secret(setup.secret, false);
    if (!secret.ok() && secret.code() == Code::kNotFound && elsewhere) {
      *warning = "--forward-secret " + secret.message() + ": the servers are not tried" + kUnlessThere;
      return {};
    }
    if (!secret.ok()) return {secret.code(), "--forward-secret " + secret.message()};
    options.secret = *secret;
  }
  for (const Spec& spec : setup.specs) {
    const Status tried = try_for_a_while(spec, options, options.connect_ms);
    if (tried.ok()) continue;
    if (tried.code() == Code::kNotFound && elsewhere) {
      *warning = "--forward: " + tried.message() + " This node does not reach it" + kUnlessThere;
      continue;
    }
    const std::string what_to_do =
        tried.code() == Code::kNotFound
            ? " Start it with `headrace serve`, or start servers and command with `headrace forward up`"
            : "";
    return {tried.code(), "--forward: " + tried.message() + what_to_do + "; " + "the command was not started"};
  }
  return {};
}

}  // namespace headrace::programs
