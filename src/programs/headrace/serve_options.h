// The command lines of `headrace serve` and `headrace status`.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "forward/backend/trial.h"
#include "forward/server/shared.h"
#include "forward/server/write_buffer.h"

namespace headrace::programs {

extern const char kServeHelp[];
extern const char kStatusHelp[];

struct ServeSettings {
  std::vector<std::string> roots, addresses;
  std::string backend = "posix";
  std::string secret;          // file; "" = none, so only for processes of this user on this node
  std::string addresses_file;  // receives the addresses when the server is ready
  bool kept = false;           // ends when the client that keeps it does
  forward::Limits limits;
  unsigned event_threads = 1, storage_threads = 8;
  forward::WriteBufferOptions write_buffer;
  forward::Placing place = forward::Placing::kFile;
  uint64_t stripe = 0;        // bytes, 0 = not given
  unsigned stripe_count = 0;  // of new files
  std::optional<std::string> munge;
  bool trial = false;
  forward::TrialOptions trial_options;
};
/// kNotFound: help was asked for. kInvalid: a mistake, in words.
base::Result<ServeSettings> parse_serve(const std::vector<std::string>& arguments);

struct StatusSettings {
  std::vector<std::string> addresses;
  std::string secret;
  bool open_metrics = false, prometheus = false;  // the latter: these in Prometheus' older form
  unsigned every = 0;                             // seconds between looks, 0 = one look
};
base::Result<StatusSettings> parse_status(const std::vector<std::string>& arguments);

}  // namespace headrace::programs
